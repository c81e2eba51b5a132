// The words on the button of a diagnosis.
import type { Correction, FormPart, NextStep } from "../../host/bindings";
import { listed } from "../text/format";
import { m } from "../../paraglide/messages";
import { visible } from "../text/escapes";
import { toolName } from "./tools";

/** What the button of a next step is called. */
export function stepLabel(step: NextStep): string {
  switch (step.step) {
    case "guide":
      if (step.guide.guide === "install") return m.step_install({ tool: toolName(step.guide.tool) });
      return step.guide.guide === "port" ? m.step_port() : m.step_guide();
    case "edit":
      return correctionLabel(step.corrections) ?? partLabel(step.part);
    case "sign_in":
      return m.sign_in();
    case "log":
      return m.step_log();
    case "retry":
      return m.step_retry();
    default:
      return step satisfies never;
  }
}

function correctionLabel(corrections: Correction[]): string | null {
  const [first] = corrections;
  switch (first?.set) {
    case "address":
      return m.step_try_address({ address: visible(shortAddress(first.url)) });
    case "transport":
      return m.step_transport();
    case "arguments":
      return m.step_arguments_corrected();
    case "command":
      return m.step_use_that();
    case "variable":
      if (first.value !== "") return m.step_set_variable({ name: visible(first.name) });
      return m.step_enter({ names: listed(corrections.map((one) => ("name" in one ? visible(one.name) : ""))) });
    case undefined:
      return null;
    default:
      return first satisfies never;
  }
}

/** The path of an address where that tells enough. */
function shortAddress(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}

function partLabel(part: FormPart): string {
  switch (part) {
    case "command":
      return m.step_command();
    case "arguments":
      return m.step_arguments();
    case "variables":
      return m.step_variables();
    case "folder":
      return m.step_folder();
    case "address":
      return m.step_address();
    case "headers":
      return m.step_headers();
    case "transport":
      return m.step_transport();
    default:
      return part satisfies never;
  }
}
