// Questions before folders are shared with a server.
import type { QuestionBody, FolderFacts } from "../../bindings";

const FOLDER: FolderFacts = {
  path: "/home/ada/Travel",
  uri: "file:///home/ada/Travel",
  workspace: "",
  files: 214,
  bytes: 48_200_000,
  whole: true,
  repository: false,
  secrets: [],
  more_secrets: 0,
  reach: "folder",
  trouble: null,
  shared: false,
  others: ["files"],
  picked: true,
};

export const SHARE: QuestionBody = {
  kind: "share_folders",
  asked: true,
  folders: [
    FOLDER,
    {
      ...FOLDER,
      path: "/home/ada/code/my site",
      uri: "file:///home/ada/code/my%20site",
      workspace: "Website",
      files: 20_000,
      bytes: 612_000_000,
      whole: false,
      repository: true,
      secrets: [".env", "deploy/id_ed25519", "certs/site.pem"],
      more_secrets: 4,
      others: [],
      picked: false,
    },
    { ...FOLDER, path: "/home/ada", uri: "file:///home/ada", reach: "home", others: [], picked: false },
    {
      ...FOLDER,
      path: "/media/stick/pictures",
      uri: "file:///media/stick/pictures",
      trouble: "gone",
      others: [],
      picked: false,
    },
  ],
};
