// Where a server is and how it is spoken to, in words.
import type { EraChoice, ServerView, TransportChoice } from "../host/bindings";
import { m } from "../paraglide/messages";

/** The name of a choice of transport. */
export function transportName(transport: TransportChoice): string {
  switch (transport) {
    case "auto":
      return m.transport_auto();
    case "streamable":
      return m.transport_streamable();
    case "sse":
      return m.transport_sse();
    default:
      return transport satisfies never;
  }
}

/** The name of a choice of era. */
export function eraName(era: EraChoice): string {
  switch (era) {
    case "auto":
      return m.era_auto();
    case "legacy":
      return m.era_legacy();
    case "modern":
      return m.era_modern();
    default:
      return era satisfies never;
  }
}

/** Whether it is connected to rather than started. */
export function isRemote(server: ServerView): boolean {
  return server.place.at === "address";
}
