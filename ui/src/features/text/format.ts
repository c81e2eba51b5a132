// Numbers, times and sizes in the language of the window.
import type { Cost, Currency } from "../../host/bindings";
import { getLocale } from "../../paraglide/runtime";

/** Every time of the window has 24 hours. */
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** Formats that were made: to make one costs far more than to use it, and a long list has thousands of times. */
const made = new Map<string, Intl.DateTimeFormat>();
const numbers = new Map<string, Intl.NumberFormat>();

/** The format of a time, for the language and the time zone of this moment. */
function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${getLocale()} ${new Date().getTimezoneOffset()} ${JSON.stringify(options)}`;
  const format = made.get(key) ?? new Intl.DateTimeFormat(getLocale(), options);
  made.set(key, format);
  return format;
}

/** A text and the space before what follows it. Full-width punctuation of Chinese has its space in itself. */
export function spaced(text: string): string {
  return /[。！？：；，、]$/u.test(text) ? text : `${text} `;
}

/** Sentences one after the other. Those that are false are left out. */
export function sentences(...all: (string | false)[]): string {
  const said = all.filter((one) => one !== false);
  return said.map((one, index) => (index < said.length - 1 ? spaced(one) : one)).join("");
}

/** A term and the colon between it and its value. */
export function termed(term: string): string {
  return getLocale() === "zh-CN" ? `${term}：` : `${term}: `;
}

/** A remark in brackets after other words. */
export function bracketed(remark: string): string {
  return getLocale() === "zh-CN" ? `（${remark}）` : ` (${remark})`;
}

/** What stands between the names of a list. */
export function listSeparator(): string {
  return getLocale() === "zh-CN" ? "、" : ", ";
}

/** Names one after the other. */
export function listed(names: readonly string[]): string {
  return names.join(listSeparator());
}

/** The time of day of a moment in milliseconds since 1970. */
export function timeOfDay(ms: number): string {
  return dates(CLOCK).format(ms);
}

/** The time of day to the second. */
export function timeExact(ms: number): string {
  return dates({ ...CLOCK, second: "2-digit" }).format(ms);
}

/** A day and a time, for tooltips. */
export function moment(ms: number): string {
  const format = { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" } as const;
  return dates(format).format(ms);
}

/** The time of day where that is today, otherwise with the day. */
export function since(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  if (isToday) return timeOfDay(ms);
  const format = { month: "short", day: "numeric", ...CLOCK } as const;
  return dates(format).format(ms);
}

/** A day as a heading: with its weekday, and with the year where that is another. */
export function dayHeading(ms: number): string {
  const year = new Date(ms).getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  const format = { weekday: "long", month: "long", day: "numeric", ...year } as const;
  return dates(format).format(ms);
}

/** A day, where the time of day says nothing. */
export function day(ms: number): string {
  return dates({ dateStyle: "medium" }).format(ms);
}

/** A number and its unit, which no line break parts. */
const measure = (value: number, unit: string) => `${number(value)}\u00A0${unit}`;

/** How long something took, in the unit that fits. */
export function duration(ms: number): string {
  if (ms < 1000) return measure(Math.round(ms), "ms");
  if (ms < 60_000) return measure(Math.round(ms / 100) / 10, "s");
  return `${measure(Math.floor(ms / 60_000), "min")} ${measure(Math.floor((ms % 60_000) / 1000), "s")}`;
}

/** A size in bytes, in the unit that fits. */
export function size(bytes: number): string {
  if (bytes < 1000) return measure(bytes, "B");
  if (bytes < 1_000_000) return measure(Math.round(bytes / 100) / 10, "kB");
  return measure(Math.round(bytes / 100_000) / 10, "MB");
}

/** A size with all its digits. */
export function exactSize(bytes: number): string {
  const unit = bytes < 1_000_000 ? 100 : 100_000;
  return bytes < 1000 || bytes % unit === 0 ? size(bytes) : measure(bytes, "B");
}

/** An amount in millionths, as a plain number where its currency is not known. */
export function money(millionths: number, currency?: Currency): string {
  const amount = millionths / 1_000_000;
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 4 : 2;
  const shown = { minimumFractionDigits: 2, maximumFractionDigits: digits };
  const style = currency === undefined ? {} : ({ style: "currency", currency } as const);
  return new Intl.NumberFormat(getLocale(), { ...shown, ...style }).format(amount);
}

/** Amounts side by side, one for each currency; nothing in the given one where there are none. */
export function costs(all: readonly Cost[], otherwise: Currency): string {
  const shown = all.length === 0 ? [{ currency: otherwise, amount: 0 }] : all;
  return shown.map(({ currency, amount }) => money(amount, currency)).join(" · ");
}

/** A share from 0 to 1 in percent. */
export function percent(share: number): string {
  return new Intl.NumberFormat(getLocale(), { style: "percent" }).format(share);
}

/** A count with the separators of the language. */
export function number(value: number): string {
  const locale = getLocale();
  const format = numbers.get(locale) ?? new Intl.NumberFormat(locale);
  numbers.set(locale, format);
  return format.format(value);
}

/** A number with all its digits. */
export function exactNumber(value: number): string {
  const isShort = Math.abs(value) < 1e15 && Number(value.toFixed(3)) === value;
  return isShort ? number(value) : String(value);
}
