// The claims of a tool (its MCP annotations) in short words.
import type { Claims } from "../../host/bindings";
import { m } from "../../paraglide/messages";

type ClaimId = "destructive" | "writes" | "outside" | "repeat" | "harmless";

interface Claim {
  id: ClaimId;
  words: string;
  /** Whether the claim says that the tool can do harm. */
  harmful: boolean;
}

/**
 * The claims worth saying, harmful ones first. MCP defines `destructiveHint` and `idempotentHint` only for tools that
 * are not read-only, so their harmless values are left out for one that says it is.
 */
export function claimed({ read_only, destructive, idempotent, open_world }: Claims): Claim[] {
  const said: (Claim | false)[] = [
    destructive === true && { id: "destructive", words: m.claim_destructive(), harmful: true },
    read_only === false && { id: "writes", words: m.claim_writes(), harmful: true },
    open_world === true && { id: "outside", words: m.claim_open_world(), harmful: true },
    idempotent === false && read_only !== true && { id: "repeat", words: m.claim_not_idempotent(), harmful: true },
    read_only === true && { id: "harmless", words: m.claim_read_only(), harmful: false },
    destructive === false && read_only !== true && { id: "harmless", words: m.claim_not_destructive(), harmful: false },
    idempotent === true && read_only !== true && { id: "harmless", words: m.claim_idempotent(), harmful: false },
    open_world === false && { id: "harmless", words: m.claim_closed_world(), harmful: false },
  ];
  return said.filter((claim) => claim !== false);
}
