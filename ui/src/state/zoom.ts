// The steps in which pages are zoomed, and which key asks for which.

/** In percent. The settings allow everything between the first and the last. */
const STEPS = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200];

export const UNZOOMED = 100;

/** The next larger step; the largest where there is none. */
export function larger(zoom: number): number {
  return STEPS.find((step) => step > zoom) ?? zoom;
}

/** The next smaller step; the smallest where there is none. */
export function smaller(zoom: number): number {
  return STEPS.findLast((step) => step < zoom) ?? zoom;
}

/** The zoom that a key asks for together with Ctrl or Command; `undefined` for any other key. */
export function zoomFor(key: string, zoom: number): number | undefined {
  switch (key) {
    // The plus sign needs Shift on some keyboards, where people press the key without it.
    case "+":
    case "=":
      return larger(zoom);
    case "-":
      return smaller(zoom);
    case "0":
      return UNZOOMED;
    default:
      return undefined;
  }
}
