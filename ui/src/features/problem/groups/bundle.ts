// The words for problems of MCP bundles.
import type { BundleFault, BundleProblem, BundleValueFault } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { visible } from "../../text/escapes";
import { number } from "../../text/format";
import { system, type WordsOf } from "../words";

/** What is wrong with an archive. */
function faultWords(fault: BundleFault): string {
  switch (fault.fault) {
    case "not_an_archive":
      return m.problem_bundle_not_an_archive();
    case "damaged":
      return m.problem_bundle_damaged();
    case "too_large":
      return m.problem_bundle_too_large({ limit: number(fault.limit_mb) });
    case "too_many":
      return m.problem_bundle_too_many({ limit: number(fault.limit) });
    case "expands":
      return m.problem_bundle_expands({ limit: number(fault.limit_mb) });
    case "inflates":
      return m.problem_bundle_inflates({ ratio: number(fault.ratio) });
    case "path":
      return m.problem_bundle_path({ path: visible(fault.path) });
    case "kind":
      return m.problem_bundle_kind({ path: visible(fault.path) });
    case "twice":
      return m.problem_bundle_twice({ path: visible(fault.path) });
    case "encrypted":
      return m.problem_bundle_encrypted({ path: visible(fault.path) });
    case "packed":
      return m.problem_bundle_packed({ path: visible(fault.path) });
    case "no_manifest":
      return m.problem_bundle_no_manifest();
    case "manifest_unreadable":
      return m.problem_bundle_manifest_unreadable({ limit: number(fault.limit_kb) });
    case "manifest_version":
      return m.problem_bundle_manifest_version({ found: visible(fault.found) });
    case "manifest":
      return m.problem_bundle_manifest({ member: visible(fault.member) });
    case "entry_point":
      return m.problem_bundle_entry_point({ path: visible(fault.path) });
    case "digest":
      return m.problem_bundle_digest({ found: fault.found, expected: fault.expected });
    default:
      return fault satisfies never;
  }
}

function valueWords(fault: BundleValueFault): string {
  switch (fault.fault) {
    case "missing":
      return m.problem_bundle_value_missing();
    case "not_a_number":
      return m.problem_bundle_value_number();
    case "too_small":
      return m.problem_bundle_value_small({ min: number(fault.min) });
    case "too_large":
      return m.problem_bundle_value_large({ max: number(fault.max) });
    case "not_a_boolean":
      return m.problem_bundle_value_boolean();
    case "one_only":
      return m.problem_bundle_value_one();
    case "no_folder":
      return m.problem_bundle_value_folder();
    case "no_file":
      return m.problem_bundle_value_file();
    default:
      return fault satisfies never;
  }
}

export const bundleProblems: WordsOf<BundleProblem> = {
  bundle_refused: ({ bundle, fault }) => ({
    happened: m.problem_bundle_refused({ bundle: visible(bundle) }),
    todo: faultWords(fault),
    quote: fault.fault === "damaged" || fault.fault === "manifest_unreadable" ? system(fault.detail) : undefined,
  }),
  bundle_unreadable: ({ bundle, detail }) => ({
    happened: m.problem_bundle_unreadable({ bundle: visible(bundle) }),
    todo: m.problem_bundle_unreadable_do(),
    quote: system(detail),
  }),
  bundle_only: () => ({ happened: m.problem_bundle_only(), todo: m.problem_bundle_only_do() }),
  bundle_not_downloaded: ({ host, detail }) => ({
    happened: m.problem_bundle_not_downloaded({ host: visible(host) }),
    todo: m.problem_bundle_not_downloaded_do(),
    quote: system(detail),
  }),
  bundle_value: ({ title, fault }) => ({
    happened: m.problem_bundle_value({ title: visible(title) }),
    todo: valueWords(fault),
  }),
  bundle_not_unpacked: ({ folder, detail }) => ({
    happened: m.problem_bundle_not_unpacked({ folder: visible(folder) }),
    todo: m.problem_bundle_not_unpacked_do(),
    quote: system(detail),
  }),
};
