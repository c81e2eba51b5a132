// Whether the text of a link looks like an address, but not like the one it points to.

/** True where the text names a host and the address is on another one, or leads elsewhere on it. */
export function pretendsOther(text: string, href: string): boolean {
  const shown = /(?:^|[\s(<"'@])((?:https?:\/\/)?[\w.-]+\.[a-z]{2,}(?:[/?#]\S*)?)/i.exec(text)?.[1];
  if (shown === undefined) return false;
  const one = read(/^https?:/i.test(shown) ? shown : `https://${shown}`);
  const other = read(href);
  if (one === undefined || other === undefined) return true;
  if (one.host !== other.host) return true;
  return one.rest !== "/" && one.rest !== other.rest;
}

function read(address: string): { host: string; rest: string } | undefined {
  try {
    const url = new URL(address);
    const host = url.protocol === "mailto:" ? (url.pathname.split("@")[1] ?? "") : url.hostname;
    return { host: host.replace(/^www\./, ""), rest: url.pathname + url.search + url.hash };
  } catch {
    return undefined;
  }
}
