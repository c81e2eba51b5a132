// How long a permission may be made to last, in milliseconds. None lasts for ever; the host keeps to what its scope allows.
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const SPANS = [HOUR, DAY, 7 * DAY, 30 * DAY];
