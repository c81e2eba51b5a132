// The rows of the meter of a chat, and its numbers in few characters.

import { number } from "../../features/text/format";
import type { MeterView } from "../../host/bindings";
import { m } from "../../paraglide/messages";

export interface MeterRow {
  key: string;
  label: string;
  tokens: number;
  /** A part of the row before it. */
  inner?: true;
  /** The first row of the sums. */
  sum?: true;
}

/** The part of what the model reads that the next request takes; null where it is not known how much it reads. */
export function shareOf({ context, total }: MeterView): number | null {
  return context === null || context === 0 ? null : total / context;
}

/** A count of tokens in thousands. What is known as 32k are 32,768. */
export function inThousands(tokens: number): string {
  if (tokens < 1000) return number(tokens);
  const unit = tokens % 1024 === 0 ? 1024 : 1000;
  return `${number(Math.round(tokens / unit))}k`;
}

/** The parts that there are, then the sum and what is left. */
export function meterRows(meter: MeterView): MeterRow[] {
  const definitions = meter.tools.reduce((sum, { tokens }) => sum + tokens, 0);
  const parts: MeterRow[] = [
    { key: "instructions", label: m.meter_instructions(), tokens: meter.instructions },
    { key: "tools", label: m.meter_tools(), tokens: definitions },
    ...meter.tools.map(({ server, server_name, tokens }): MeterRow => {
      const label = server === null ? m.meter_own_tools() : server_name;
      return { key: `server ${server ?? ""}`, label, tokens, inner: true };
    }),
    { key: "results", label: m.meter_results(), tokens: meter.results },
    { key: "talk", label: m.meter_talk(), tokens: meter.talk },
    { key: "pictures", label: m.meter_pictures(), tokens: meter.pictures },
  ];
  const rows = parts.filter(({ tokens }) => tokens > 0);
  rows.push({ key: "total", label: m.meter_total(), tokens: meter.total, sum: true });
  if (meter.context !== null) {
    const left = Math.max(0, meter.context - meter.total);
    rows.push({ key: "room", label: m.meter_room(), tokens: left });
  }
  return rows;
}
