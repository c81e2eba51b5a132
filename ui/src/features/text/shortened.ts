/** The text with its middle left out where it is longer than `most` characters; both ends stay. */
export function shortened(text: string, most = 60): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - end).join("")}…${characters.slice(-end).join("")}`;
}

/** The first lines of a text, no more than fit at this width in characters; null where all of it fits. */
export function beginning(text: string, lines: number, width: number): string | null {
  const all = text.split("\n");
  if (all.length <= lines && text.length <= lines * width) return null;
  return all
    .slice(0, lines)
    .join("\n")
    .slice(0, lines * width);
}
