// The order of the servers in lists, which is the user's.
import type { ServerId, ServerView } from "../host/bindings";

/** The servers in an order; those that are not in it come last, as they are. */
export function inOrder(servers: ServerView[], order: ServerId[]): ServerView[] {
  if (order.length === 0) return servers;
  const places = new Map(order.map((id, place) => [id, place]));
  const place = ({ id }: ServerView) => places.get(id) ?? order.length;
  return servers.toSorted((one, other) => place(one) - place(other));
}

/** The order after a server went some places down, or up where `step` is negative; nothing where it cannot. */
export function moved(servers: ServerView[], server: ServerId, step: number): ServerId[] | null {
  const ids = servers.map(({ id }) => id);
  const from = ids.indexOf(server);
  const to = from + step;
  if (from < 0 || to < 0 || to >= ids.length) return null;
  return ids.toSpliced(from, 1).toSpliced(to, 0, server);
}
