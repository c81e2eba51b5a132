// Removed servers as the user tells them apart: by name and date, or by the end of the id where no name is known.
import { visible } from "../../features/text/escapes";
import { day } from "../../features/text/format";
import type { RemovedServerView, ServerId } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** The name of a removed server; `server` is undefined where the ledger no longer knows it. */
export function removedName(id: ServerId, server: RemovedServerView | undefined): string {
  return server?.name || m.removed_unnamed({ id: id.slice(-4) });
}

/** A removed server in a list to choose from. */
export function removedOption({ id, name, removed_ms }: RemovedServerView): string {
  const date = day(removed_ms);
  return name === ""
    ? m.removed_unnamed_option({ id: id.slice(-4), date })
    : m.removed_option({ name: visible(name), date });
}

/** When a server was removed; empty where that is not known. */
export function removedOn(server: RemovedServerView | undefined): string {
  return server?.name ? m.removed_on({ date: day(server.removed_ms) }) : "";
}
