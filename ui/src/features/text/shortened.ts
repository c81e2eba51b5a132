/** The text with its middle left out where it is longer than `most` characters; both ends stay. */
export function shortened(text: string, most = 60): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${characters.slice(0, most - 1 - end).join("")}…${characters.slice(-end).join("")}`;
}
