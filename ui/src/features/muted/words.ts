// Names for the kinds of requests that can be muted.
import type { Asking } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** Requests of one kind, in the plural. */
export const REQUESTS: Record<Asking, () => string> = {
  call: m.kind_calls,
  form: m.kind_forms,
  page: m.kind_pages,
  sampling: m.kind_sampling,
  roots: m.kind_roots,
};
