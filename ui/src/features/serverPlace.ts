// Where a server is and how it is spoken to, in words.
import type { EraChoice, PlaceDraft, PlaceView, ServerView, TransportChoice, Wire } from "../host/bindings";
import { m } from "../paraglide/messages";

/** The name of a transport, or of the choice of one; the one that is deprecated says so (SSE-008). */
export function transportName(transport: TransportChoice | Wire): string {
  switch (transport) {
    case "auto":
      return m.transport_auto();
    case "stdio":
      return m.transport_stdio();
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

/** Where a server is, in one text: its command with its arguments, or its address. */
export function placeText(place: PlaceView | PlaceDraft): string {
  return place.at === "here" ? [place.command, ...place.args].join(" ") : place.url;
}
