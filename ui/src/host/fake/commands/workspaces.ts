// Workspaces, their folders, and what is shared with a server.
import type { MainHost } from "../../commands";
import type { World } from "../world";
import { done, no, soon } from "../replies";

export function workspaceCommands(world: World) {
  return {
    workspaceCreate: (name) => {
      if (world.workspaces.some((workspace) => workspace.name === name)) return no({ problem: "name_taken", name });
      const id = world.nextId("w");
      world.putWorkspaces([...world.workspaces, { id, name, folders: [] }]);
      return soon(id);
    },
    workspaceRename: (id, name) =>
      soon(world.putWorkspaces(world.workspaces.map((space) => (space.id === id ? { ...space, name } : space)))),
    workspaceRemove: (id) => soon(done(world.putWorkspaces(world.workspaces.filter((space) => space.id !== id)))),
    folderAdd: (id, path) => {
      if (!path.startsWith("/"))
        return no({ problem: "folder_unusable", folder: path, detail: "it is not a full path" });
      world.changeFolders(id, (folders) => [...folders, { path, trouble: null, shares: [] }]);
      return soon(path);
    },
    folderChoose: (id) => {
      world.changeFolders(id, (folders) => [...folders, { path: "/home/ada/Pictures", trouble: null, shares: [] }]);
      return soon("/home/ada/Pictures");
    },
    folderPick: () => soon("/home/ada/Pictures"),
    folderRemove: (id, path) =>
      soon(world.changeFolders(id, (folders) => folders.filter((folder) => folder.path !== path))),
    foldersShare: (server) => {
      world.addWaiting("q-folders", server);
      return soon(undefined);
    },
    folderUnshare: (server, path) => {
      for (const { id } of world.workspaces)
        world.changeFolders(id, (folders) =>
          folders.map((folder) =>
            folder.path === path
              ? { ...folder, shares: folder.shares.filter((share) => share.server !== server) }
              : folder,
          ),
        );
      return soon(undefined);
    },
  } satisfies Partial<MainHost>;
}
