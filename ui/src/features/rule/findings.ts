// What was found about a row that another program changed, in words.
import type { RowFinding } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { visible } from "../text/escapes";

/** Whether the finding is about a refusal, which holds all the same. */
export function refuses(found: RowFinding): boolean {
  return found.row.table === "rule" && (found.kept ?? found.rule) !== null && !found.can_remove;
}

export function findingWords(found: RowFinding): string {
  const server = visible(found.server_name);
  switch (found.row.table) {
    case "rule":
      return refuses(found) ? refusalWords(found) : permissionWords(found);
    case "server":
      return serverWords(found, server);
    case "tool":
      return m.rows_tool({ tool: visible(found.tool ?? ""), server });
    default:
      return found.row.table satisfies never;
  }
}

function permissionWords({ fault }: RowFinding): string {
  switch (fault) {
    case "changed":
      return m.rows_rule_changed();
    case "unsigned":
      return m.rows_rule_unsigned();
    case "missing":
      return m.rows_rule_missing();
    case "stale":
      return m.rows_rule_stale();
    case "unreadable":
    case "unchecked":
      return m.rows_rule_unreadable();
    default:
      return fault satisfies never;
  }
}

function refusalWords({ fault }: RowFinding): string {
  switch (fault) {
    case "changed":
    case "unreadable":
      return m.rows_refusal_changed();
    case "unsigned":
      return m.rows_refusal_unsigned();
    case "missing":
      return m.rows_refusal_missing();
    case "stale":
    case "unchecked":
      return m.rows_refusal_stale();
    default:
      return fault satisfies never;
  }
}

function serverWords({ fault }: RowFinding, server: string): string {
  switch (fault) {
    case "changed":
    case "stale":
    case "unchecked":
      return m.rows_server_changed({ server });
    case "unsigned":
      return m.rows_server_unsigned({ server });
    case "missing":
      return m.rows_server_missing({ server });
    case "unreadable":
      return m.rows_server_unreadable();
    default:
      return fault satisfies never;
  }
}
