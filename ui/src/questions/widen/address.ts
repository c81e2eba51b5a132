import type { UrlInspection, Widening } from "../../host/bindings";

/** The address everything said in chats would go to. */
function addressOf(change: Widening): UrlInspection | null {
  if (change.widening === "save_connection") return change.connection.address;
  return change.widening === "chat_model" ? change.to.address : null;
}

/** Whether chats would go to an address that is blocked. */
export function isBlocked(change: Widening): boolean {
  return addressOf(change)?.verdict === "block";
}
