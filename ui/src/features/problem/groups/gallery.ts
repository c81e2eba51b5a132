// The words for problems of a registry of servers, and of what it lists.
import type { GalleryProblem, PackageFault } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { visible } from "../../text/escapes";
import { server, system, type WordsOf } from "../words";

function faultWords(fault: PackageFault): string {
  switch (fault) {
    case "name":
      return m.problem_package_unfit_name();
    case "version":
      return m.problem_package_unfit_version();
    case "digest":
      return m.problem_package_unfit_digest();
    case "bundle":
      return m.problem_package_unfit_bundle();
    default:
      return fault satisfies never;
  }
}

export const galleryProblems: WordsOf<GalleryProblem> = {
  registry_unreachable: (trouble) => ({
    happened: m.problem_registry_unreachable({ host: visible(trouble.host) }),
    todo: m.problem_registry_unreachable_do(),
    quote: system(trouble.detail),
  }),
  registry_slow: (trouble) => ({
    happened: m.problem_registry_slow({ host: visible(trouble.host), seconds: trouble.seconds }),
    todo: m.problem_registry_slow_do(),
  }),
  registry_too_large: (trouble) => ({
    happened: m.problem_registry_too_large({ host: visible(trouble.host), limit: trouble.limit_mb }),
    todo: m.problem_registry_too_large_do(),
  }),
  registry_moved: (trouble) => ({
    happened: m.problem_registry_moved({ host: visible(trouble.host), to: visible(trouble.to) }),
    todo: m.problem_registry_moved_do(),
  }),
  registry_refused: (trouble) => ({
    happened: m.problem_registry_refused({ host: visible(trouble.host), status: trouble.status }),
    todo: m.problem_registry_refused_do(),
    quote: server(trouble.detail),
  }),
  registry_unreadable: (trouble) => ({
    happened: m.problem_registry_unreadable({ host: visible(trouble.host) }),
    todo: m.problem_registry_unreadable_do(),
    quote: system(trouble.detail),
  }),
  package_unfit: (trouble) => ({
    happened: m.problem_package_unfit({ name: visible(trouble.package) }),
    todo: faultWords(trouble.fault),
  }),
};
