// Every problem as sentences of the catalogue: what was tried and what happened, then what to do. A new kind of problem
// in Rust is a type error here until it has its words in its group.
import type { Trouble } from "../../host";
import { m } from "../../paraglide/messages";
import { bundleProblems } from "./groups/bundle";
import { callProblems } from "./groups/call";
import { galleryProblems } from "./groups/gallery";
import { inputProblems } from "./groups/input";
import { modelProblems } from "./groups/model";
import { questionProblems } from "./groups/question";
import { serverProblems } from "./groups/server";
import { storeProblems } from "./groups/store";
import { system, type Words, type WordsOf } from "./words";

const all: WordsOf<Trouble> = {
  ...serverProblems,
  ...callProblems,
  ...modelProblems,
  ...storeProblems,
  ...inputProblems,
  ...questionProblems,
  ...galleryProblems,
  ...bundleProblems,
  unexpected: (trouble) => ({
    happened: m.problem_unexpected(),
    todo: m.problem_unexpected_do(),
    quote: system(trouble.detail),
  }),
};

/** The words for a problem. */
export function wordsFor(trouble: Trouble): Words {
  const words = all[trouble.problem] as (trouble: Trouble) => Words;
  return words(trouble);
}
