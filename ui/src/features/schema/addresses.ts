// Recognises text that points somewhere, so that it is set to be read exactly and its host stands out.

/** What a text points to. */
export type Pointer = { kind: "address"; host: string } | { kind: "path" } | undefined;

/** Reads a whole value as an address or as a path on this computer. */
export function pointerOf(text: string): Pointer {
  if (text.length > 4096 || text.includes("\n")) return undefined;
  if (/^[a-z][a-z\d+.-]*:\/\/\S+$/i.test(text)) {
    try {
      const { host } = new URL(text);
      return host === "" ? { kind: "path" } : { kind: "address", host };
    } catch {
      return undefined;
    }
  }
  return /^(~|\.{1,2})?\/\S/.test(text) || /^[a-z]:\\/i.test(text) ? { kind: "path" } : undefined;
}
