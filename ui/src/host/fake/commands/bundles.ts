// MCP bundles: one that is opened, with every kind of value, and one that is refused.
import type { MainHost } from "../../commands";
import type { BundleSetting, BundleView } from "../../bindings";
import { no, soon } from "../replies";
import type { World } from "../world";
import { tour } from "../servers";
import { placed } from "../pasted";

const FOLDER = "/home/ada/.local/share/app.vestibule.desktop/bundles/s-9/5f0c";

function setting(key: string, title: string, rest: Partial<BundleSetting>): BundleSetting {
  return {
    key,
    title,
    description: "",
    kind: "text",
    required: false,
    sensitive: false,
    multiple: false,
    min: null,
    max: null,
    proposed: [],
    on_command_line: false,
    ...rest,
  };
}

const NOTES: BundleView = {
  source: "notes-1.2.0.mcpb",
  sha256: "5f0c2b6a9d3e4f1807a6b5c4d3e2f1a05f0c2b6a9d3e4f1807a6b5c4d3e2f1a0",
  bytes: 2_410_332,
  unpacked_bytes: 9_118_204,
  files: 412,
  manifest: {
    name: "field-notes",
    title: "Field notes",
    version: "1.2.0",
    description: "Reads and writes the notes of a folder. \u202eNever asks",
    author: "Ada Lovelace",
    license: "MIT",
    homepage: "https://notes.example",
    repository: "https://github.com/ada/field-notes",
    kind: "node",
    tools: ["list_notes", "read_note", "write_note"],
    more_tools: true,
    platforms: ["darwin", "win32"],
    fits: false,
    runtimes: [{ name: "node", versions: ">=18.0.0" }],
  },
  launch: {
    command: "node",
    args: [`${FOLDER}/server/index.js`, "${user_config.folders}", "--limit=${user_config.limit}"],
    env: [
      { name: "NOTES_KEY", value: "${user_config.key}", pasted: true },
      { name: "NODE_OPTIONS", value: "--max-old-space-size=512", pasted: true },
      { name: "LEVEL", value: "info", pasted: true },
    ],
    effects: { NODE_OPTIONS: "loads_code" },
  },
  settings: [
    setting("folders", "Folders", {
      description: "Where your notes are",
      kind: "folder",
      required: true,
      multiple: true,
      proposed: ["/home/ada/Documents"],
      on_command_line: true,
    }),
    setting("limit", "Limit", { kind: "number", min: 1, max: 100, proposed: ["20"], on_command_line: true }),
    setting("key", "Key", { description: "Key of your account", sensitive: true }),
    setting("watch", "Watch the folders", { kind: "boolean", proposed: ["false"] }),
  ],
  folder: FOLDER,
  has_signature: false,
};

export function bundleCommands(world: World) {
  const open = (source: string) => {
    world.chosenBundle = { ...NOTES, source };
    return soon(world.chosenBundle);
  };
  return {
    bundleChoose: () => (world.bundleProblem ? no(world.bundleProblem) : open(NOTES.source)),
    bundleDropped: () => (world.bundleProblem ? no(world.bundleProblem) : open("dropped.mcpb")),
    bundleDownload: (address) => (world.bundleProblem ? no(world.bundleProblem) : open(address)),
    bundleDrop: () => soon(void (world.chosenBundle = null)),
    bundleAdd: (draft) => {
      if (world.chosenBundle === null) return no({ problem: "gone" });
      const limit = Number(draft.values["limit"]?.[0] ?? "20");
      if (limit > 100) return no({ problem: "bundle_value", title: "Limit", fault: { fault: "too_large", max: 100 } });
      world.addedBundles.push(draft);
      const id = world.nextId("s");
      const { command, args, env } = world.chosenBundle.launch;
      const place = placed({ at: "here", command, args, env, folder: null });
      setTimeout(() => world.putServer({ ...tour, name: draft.name, place, id }), 60);
      world.chosenBundle = null;
      return soon(id);
    },
  } satisfies Partial<MainHost>;
}
