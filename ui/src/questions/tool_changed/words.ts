// The words of a card about what a server changed of what it tells models: a tool, new tools, or its instructions.
import { slot } from "../../features/text/rich";
import type { Change } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import type { AboutOf, KindWords } from "../kind";

export const words: KindWords<AboutOf<"tool_changed">> = {
  family: m.family_changed,
  tab({ subject }) {
    if (subject.of === "tool") return m.tab_changed({ tool: subject.name });
    return subject.of === "new_tools" ? m.tab_new_tools() : m.tab_instructions();
  },
  ask({ before, subject }, server) {
    switch (subject.of) {
      case "tool": {
        const ask = before === null ? m.ask_record_lost : m.ask_changed;
        return { sentence: ask({ server: slot(0), tool: slot(1) }), values: [server, subject.name] };
      }
      case "new_tools":
        return { sentence: m.ask_new_tools({ server: slot(0) }), values: [server] };
      case "instructions": {
        const ask = isFirst(before) ? m.ask_instructions : m.ask_instructions_changed;
        return { sentence: ask({ server: slot(0) }), values: [server] };
      }
    }
  },
  because({ before, subject }) {
    if (subject.of === "tool") return before === null ? m.because_record_lost() : m.because_changed();
    if (subject.of === "new_tools") return m.because_new_tools();
    return isFirst(before) ? m.because_instructions() : m.because_instructions_changed();
  },
  refuse: m.keep_blocked,
  accept({ subject }) {
    const accept = { tool: m.accept_definition, new_tools: m.accept_new_tools, instructions: m.accept_instructions };
    return accept[subject.of]();
  },
  meaning({ subject }) {
    const meaning = {
      tool: m.means_accept_definition,
      new_tools: m.means_accept_new_tools,
      instructions: m.means_accept_instructions,
    };
    return { sentence: meaning[subject.of](), values: [] };
  },
};

/** Where a difference is. For new tools that is the tool: its name is the server's, so no place is read from it. */
export function placeOfChange({ subject }: Change, path: string): { sentence: string; values: string[] } | null {
  switch (subject.of) {
    case "tool":
      return null;
    case "new_tools":
      return { sentence: m.place_other({ name: slot(0) }), values: [nameIn(path)] };
    case "instructions":
      return { sentence: m.place_instructions(), values: [] };
  }
}

/** The first token of a JSON pointer: the name of a tool. */
function nameIn(path: string): string {
  const [, name = ""] = path.split("/");
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isFirst(before: unknown): boolean {
  return typeof before === "object" && before !== null && Object.keys(before).length === 0;
}
