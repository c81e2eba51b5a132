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

/** Presses of the zoom keys. Each starts from what the one before asked for, which the settings may not say yet. */
export class ZoomKeys {
  #wanted: number | null = null;
  #saving = false;
  readonly #save: (zoom: number) => Promise<unknown>;

  /** `save` resolves once the settings say the zoom, or it failed. */
  constructor(save: (zoom: number) => Promise<unknown>) {
    this.#save = save;
  }

  /** Takes a key where it asks for a zoom. `zoom` is what the settings say. */
  press(key: string, zoom: number): boolean {
    const from = this.#wanted ?? zoom;
    const wanted = zoomFor(key, from);
    if (wanted === undefined) return false;
    if (wanted !== from) {
      this.#wanted = wanted;
      if (!this.#saving) void this.#saveAll();
    }
    return true;
  }

  /** Saves one after the other, so that the last one holds. What came in between is left out. */
  async #saveAll(): Promise<void> {
    this.#saving = true;
    try {
      for (let saved: number | null = null; this.#wanted !== null && this.#wanted !== saved;) {
        saved = this.#wanted;
        await this.#save(saved);
      }
    } finally {
      this.#wanted = null;
      this.#saving = false;
    }
  }
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
