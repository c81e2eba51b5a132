// The words for problems of what is kept on this computer.
import type { StoreProblem } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { visible } from "../../text/escapes";
import { system, type WordsOf } from "../words";

export const storeProblems: WordsOf<StoreProblem> = {
  data_newer: (trouble) => ({
    happened: m.problem_data_newer({ found: trouble.found, known: trouble.known }),
    todo: m.problem_data_newer_do(),
  }),
  data_in_use: (trouble) => ({
    happened: m.problem_data_in_use({ folder: visible(trouble.folder) }),
    todo: m.problem_data_in_use_do(),
  }),
  data_unreadable: (trouble) => ({
    happened: m.problem_data_unreadable(),
    todo: m.problem_data_unreadable_do(),
    quote: system(trouble.detail),
  }),
  folder_unusable: (trouble) => ({
    happened: m.problem_folder_unusable({ folder: visible(trouble.folder) }),
    todo: m.problem_folder_unusable_do(),
    quote: system(trouble.detail),
  }),
  disk_full: () => ({ happened: m.problem_disk_full(), todo: m.problem_disk_full_do() }),
  read_only: () => ({ happened: m.problem_read_only(), todo: m.problem_read_only_do() }),
  store_failed: (trouble) => ({
    happened: m.problem_store_failed(),
    todo: m.problem_store_failed_do(),
    quote: system(trouble.detail),
  }),
  keychain_failed: (trouble) => ({
    happened: m.problem_keychain_failed(),
    todo: m.problem_keychain_failed_do(),
    quote: system(trouble.detail),
  }),
  not_exported: (trouble) => ({
    happened: m.problem_not_exported({ path: visible(trouble.path) }),
    todo: m.problem_not_exported_do(),
    quote: system(trouble.detail),
  }),
};
