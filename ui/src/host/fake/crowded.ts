// The scene "crowded": as much of everything as can be, with names that are long, Chinese beside right-to-left.
import type { QuestionBody, EntryView, Question, ResourceView, ServerView, ToolView, WaitingView } from "../bindings";
import { chats, models, NOW, workspaces } from "./data";
import { nothing, offers } from "./offers";
import { CALL } from "./questions/tools";
import { records, rules } from "./records";
import { servers, tools } from "./servers";
import { transcripts } from "./transcripts";

const MIXED = "天气预报服务 خدمة الطقس מזג האוויר 今天与明天 ";
const WIDE = "An_unbroken_name_of_a_server_that_goes_on_and_on_";

/** A name of 200 characters, of one of three sorts. */
function longName(number: number): string {
  const sort = [`A long name with words ${number} `, `${WIDE}${number}_`, `${MIXED}${number} `][number % 3] ?? "";
  return sort.repeat(Math.ceil(200 / sort.length)).slice(0, 200);
}

/** One line of 2,000 characters. */
const LINE = `${"This tool does one thing and says so at length. ".repeat(21)}${MIXED.repeat(27)}`.slice(0, 2_000);

const server = (number: number): ServerView => {
  const like = servers[number % servers.length] as ServerView;
  return { ...like, id: number < servers.length ? like.id : `s-${number}`, name: longName(number) };
};

const tool = (number: number): ToolView => ({
  ...((tools["s-notes"] as ToolView[])[number % 6] as ToolView),
  name: longName(number),
  title: number % 2 ? null : longName(number + 1),
  description: LINE,
});

const resource = (number: number): ResourceView => ({
  uri: `note://${longName(number)}/${number}`,
  name: longName(number),
  description: number % 2 ? null : LINE,
  mime: "text/plain",
  bytes: null,
});

const waits = (number: number): WaitingView => ({
  question: number === 0 ? "q-delete" : `q-${number}`,
  server: "s-notes",
  entry: number === 0 ? "oslo-4" : null,
  asked_ms: NOW,
});

/** The entries of the chats with every name in them made long. */
function crowdedEntries(): [string, EntryView[]][] {
  const lengthened = (text: string) =>
    text.replaceAll(/"(tool|server_name)":"([^"]*)"/g, (_, key: string, name: string) =>
      JSON.stringify({ [key]: longName(name.length) }).slice(1, -1),
    );
  return Object.entries(JSON.parse(lengthened(JSON.stringify(transcripts))) as Record<string, EntryView[]>);
}

const times = <Value>(count: number, make: (number: number) => Value): Value[] =>
  Array.from({ length: count }, (_, number) => make(number));

/** What the main window knows in this scene. */
export function crowded() {
  tools["s-notes"] = times(500, tool);
  offers["s-notes"] = {
    ...nothing,
    // A server may list the same address twice.
    resources: [...times(300, resource), resource(0)],
    prompts: times(40, (number) => ({ name: longName(number), title: null, description: LINE, arguments: [] })),
  };
  const first = chats.map((chat, number) => ({ ...chat, title: longName(number) }));
  const more = times(40, (number) => ({ ...first[1], id: `c-more-${number}`, title: longName(number) }));
  return {
    servers: times(40, server),
    chats: [...first, ...more] as typeof chats,
    models: models.map((model, number) => ({ ...model, label: longName(number) })),
    workspaces: workspaces.map((workspace, number) => ({
      ...workspace,
      name: workspace.name && longName(number),
      folders: workspace.folders.map((folder, at) => ({
        ...folder,
        path: `/home/ada/${longName(at + 1)}/${longName(2)}`,
      })),
    })),
    rules: rules.map((rule, number) => ({
      ...rule,
      server_name: longName(number),
      action: rule.action.action === "call_tool" ? { ...rule.action, tool: longName(number + 1) } : rule.action,
    })),
    records: records.map((record, number) => ({ ...record, object: longName(number) })),
    waiting: times(64, waits),
    entries: new Map(crowdedEntries()),
  };
}

/** The questions of the consent window in this scene. */
export const crowdedQuestions = (question: (id: string, about: QuestionBody, rest: Partial<Question>) => Question) =>
  times(64, (number) => {
    const call = CALL as Extract<QuestionBody, { kind: "call_tool" }>;
    return question(
      `q-${number}`,
      {
        ...call,
        tool: { ...call.tool, name: longName(number), description: LINE },
        arguments: { page: longName(number + 1), permanently: true },
      },
      {
        server: { id: `s-${number % 5}`, name: longName(number), provenance: `npx -y ${longName(1)}` },
        cause: { chat: "oslo", chat_title: longName(number + 2), entry: "oslo-4", task_of: null },
      },
    );
  });
