// How a choice among several is shown: side by side, one below the other, or in a list that opens.

/** One of the values that can be chosen. */
export interface Choice {
  /** Tells it from the others of its field. */
  key: string;
  label: string;
  /** Ours and not one of the server's, such as "leave empty". */
  ours?: boolean;
}

const BESIDE = { options: 4, characters: 34 };
/** How many options are all visible at once. */
const VISIBLE = 7;

type ChoiceLook = "beside" | "below" | "list";

export function lookOf(options: Choice[]): ChoiceLook {
  const characters = options.reduce((all, { label }) => all + widthOf(label), 0);
  if (options.length <= BESIDE.options && characters <= BESIDE.characters) return "beside";
  return options.filter(({ ours }) => !ours).length <= VISIBLE ? "below" : "list";
}

/** How wide a text is in Latin letters; a Chinese character takes the room of two. */
function widthOf(text: string): number {
  return [...text].reduce((all, character) => all + (character >= "\u2E80" ? 2 : 1), 0);
}
