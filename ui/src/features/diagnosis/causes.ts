// Every recognised cause of a failure as one sentence of the catalogue. A new cause in Rust is a type error here until it
// has its sentence.
import type { CertificateFault, FailureCause, RuntimeTool } from "../../host/bindings";
import { listed } from "../text/format";
import { m } from "../../paraglide/messages";
import { visible } from "../text/escapes";
import { launcherName, toolName } from "./tools";

type SentencesOf<Cause extends FailureCause> = {
  [Kind in Cause["cause"]]: (cause: Extract<Cause, { cause: Kind }>) => string;
};

const sentences: SentencesOf<FailureCause> = {
  program_missing: ({ program, tool }) =>
    tool === null
      ? m.cause_program_missing({ program: visible(program) })
      : m.cause_program_missing_tool({ program: visible(program), tool: toolName(tool) }),
  program_elsewhere: ({ program, folder }) =>
    m.cause_program_elsewhere({ program: visible(program), folder: visible(folder) }),
  not_executable: ({ path }) => m.problem_command_not_executable({ path: visible(path) }),
  folder_missing: ({ folder }) => m.cause_folder_missing({ folder: visible(folder) }),
  interpreter_missing: ({ program, tool }) =>
    tool === null
      ? m.cause_interpreter_missing({ program: visible(program) })
      : m.cause_interpreter_missing_tool({ program: visible(program), tool: toolName(tool) }),
  interpreter_not_there: ({ path }) => m.cause_interpreter_not_there({ path: visible(path) }),
  wrong_format: () => m.cause_wrong_format(),
  not_permitted: () => m.cause_not_permitted(),
  no_version_set: ({ manager }) => m.cause_no_version_set({ manager: visible(manager) }),
  no_yes: () => m.cause_no_yes(),
  package_missing: (cause) => m.cause_package_missing({ package: visible(cause.package) }),
  version_missing: (cause) => m.cause_version_missing({ package: visible(cause.package) }),
  versions_conflict: () => m.cause_versions_conflict(),
  wrong_command: ({ command, found }) =>
    found === null
      ? m.cause_wrong_command({ command: visible(command) })
      : m.cause_wrong_command_found({ command: visible(command), found: visible(found) }),
  registry_unreachable: ({ tool }) => registryUnreachable(tool),
  not_cached: () => m.cause_not_cached(),
  digest_differs: () => m.cause_digest_differs(),
  cache_not_writable: ({ tool }) => m.cause_cache_not_writable({ tool: launcherName(tool) }),
  disk_full: () => m.cause_disk_full(),
  runtime_too_old: ({ tool }) => m.cause_runtime_too_old({ tool: toolName(tool) }),
  module_missing: (cause) => m.cause_module_missing({ module: visible(cause.module) }),
  not_compiled: () => m.cause_not_compiled(),
  library_missing: ({ library }) => m.cause_library_missing({ library: visible(library) }),
  docker_not_running: () => m.cause_docker_not_running(),
  docker_not_allowed: () => m.cause_docker_not_allowed(),
  docker_helper_missing: ({ helper }) => m.cause_docker_helper_missing({ helper: visible(helper) }),
  image_missing: () => m.cause_image_missing(),
  image_other_processor: () => m.cause_image_other_processor(),
  needs_terminal: () => m.cause_needs_terminal(),
  input_not_passed: () => m.cause_input_not_passed(),
  output_not_messages: ({ line }) => m.cause_output_not_messages({ line: visible(line) }),
  silent_end: () => m.cause_silent_end(),
  value_missing: ({ name }) => m.cause_value_missing({ name: visible(name) }),
  path_missing: ({ path }) => m.cause_path_missing({ path: visible(path) }),
  arguments_refused: () => m.cause_arguments_refused(),
  port_taken: ({ port }) => (port === null ? m.cause_port_taken_unknown() : m.cause_port_taken({ port: String(port) })),
  killed: () => m.cause_killed(),
  crashed: ({ signal }) => m.cause_crashed({ signal: String(signal) }),
  npx_silent: () => m.cause_npx_silent(),
  download_slow: () => m.cause_download_slow(),
  proxy_in_the_way: () => m.cause_proxy_in_the_way(),
  certificate_unknown_to_program: () => m.cause_certificate_unknown_to_program(),
  name_unknown: ({ host }) => m.cause_name_unknown({ host: visible(host) }),
  connection_refused: ({ host }) => m.cause_connection_refused({ host: visible(host) }),
  network_unreachable: ({ host }) => m.cause_network_unreachable({ host: visible(host) }),
  certificate_refused: ({ host, why }) => certificateSentence(visible(host), why),
  not_encrypted: ({ host }) => m.cause_not_encrypted({ host: visible(host) }),
  proxy_sign_in: () => m.cause_proxy_sign_in(),
  sign_in_wanted: ({ host }) => m.cause_sign_in_wanted({ host: visible(host) }),
  key_refused: ({ headers }) => m.cause_key_refused({ headers: listed(headers.map(visible)) }),
  forbidden: ({ host }) => m.cause_forbidden({ host: visible(host) }),
  nothing_at_path: ({ path }) => m.cause_nothing_at_path({ path: visible(path) }),
  older_transport: () => m.cause_older_transport(),
  form_refused: ({ status }) => m.cause_form_refused({ status: String(status) }),
  web_page: ({ host }) => m.cause_web_page({ host: visible(host) }),
  moved: ({ to }) => m.cause_moved({ to: visible(to) }),
  host_name_refused: () => m.cause_host_name_refused(),
  asks_to_wait: ({ seconds }) =>
    seconds === null ? m.cause_asks_to_wait() : m.cause_asks_to_wait_seconds({ seconds: String(seconds) }),
  server_broken: ({ status }) => m.cause_server_broken({ status: String(status) }),
  other_protocol: ({ revision }) => m.cause_other_protocol({ revision: visible(revision) }),
};

/** A recognised cause as one sentence. */
export function causeSentence(cause: FailureCause): string {
  const sentence = sentences[cause.cause] as (cause: FailureCause) => string;
  return sentence(cause);
}

function registryUnreachable(tool: RuntimeTool): string {
  if (tool === "docker" || tool === "podman") return m.cause_registry_unreachable_image();
  return tool === "uv" || tool === "python"
    ? m.cause_registry_unreachable_python()
    : m.cause_registry_unreachable_npm();
}

function certificateSentence(host: string, why: CertificateFault): string {
  switch (why) {
    case "unknown_issuer":
      return m.cause_certificate_unknown_issuer({ host });
    case "expired":
      return m.cause_certificate_expired({ host });
    case "not_yet_valid":
      return m.cause_certificate_not_yet_valid({ host });
    case "other_name":
      return m.cause_certificate_other_name({ host });
    case "self_signed":
      return m.cause_certificate_self_signed({ host });
    case "revoked":
      return m.cause_certificate_revoked({ host });
    case "invalid":
      return m.cause_certificate_invalid({ host });
    default:
      return why satisfies never;
  }
}
