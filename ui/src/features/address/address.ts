// What is odd about an address, in words. The weightiest comes first; only what the host found is said.
import type { UrlWarning } from "../../host/bindings";
import { m } from "../../paraglide/messages";

/** A warning in words: what it is, and what that means. */
export interface Oddity {
  what: string;
  then: string;
}

const WORDS: Record<UrlWarning, () => Oddity> = {
  lookalike: () => ({ what: m.url_lookalike(), then: m.url_lookalike_long() }),
  userinfo: () => ({ what: m.url_userinfo(), then: m.url_userinfo_long() }),
  "hidden-unicode": () => ({ what: m.url_hidden(), then: m.url_hidden_long() }),
  "control-chars": () => ({ what: m.url_control(), then: m.url_hidden_long() }),
  "parser-differential": () => ({ what: m.url_ambiguous(), then: m.url_ambiguous_long() }),
  "scheme-not-allowed": () => ({ what: m.url_scheme(), then: m.url_scheme_long() }),
  "invalid-url": () => ({ what: m.url_invalid(), then: m.url_invalid_long() }),
  "shell-metachar": () => ({ what: m.url_shell(), then: m.url_shell_long() }),
  "ip-noncanonical": () => ({ what: m.url_ip_odd(), then: m.url_ip_odd_long() }),
  "bad-port": () => ({ what: m.url_bad_port(), then: m.url_bad_port_long() }),
  "dns-length": () => ({ what: m.url_dns(), then: m.url_invalid_long() }),
  "url-too-long": () => ({ what: m.url_too_long(), then: m.url_too_long_long() }),
  loopback: () => ({ what: m.url_loopback(), then: m.url_loopback_long() }),
  "private-address": () => ({ what: m.url_private(), then: m.url_private_long() }),
  "intranet-name": () => ({ what: m.url_intranet(), then: m.url_private_long() }),
  "target-embedding": () => ({ what: m.url_embedding(), then: m.url_embedding_long() }),
  "idn-unsafe": () => ({ what: m.url_idn(), then: m.url_idn_long() }),
  "insecure-http": () => ({ what: m.url_http(), then: m.url_http_long() }),
  "ip-literal": () => ({ what: m.url_ip(), then: m.url_ip_long() }),
  "public-suffix": () => ({ what: m.url_suffix(), then: m.url_suffix_long() }),
  "unlisted-tld": () => ({ what: m.url_tld(), then: m.url_tld_long() }),
  "host-chars": () => ({ what: m.url_host_chars(), then: m.url_host_chars_long() }),
  "suspicious-escapes": () => ({ what: m.url_escapes(), then: m.url_escapes_long() }),
  "near-known": () => ({ what: m.url_near(), then: m.url_near_long() }),
  punycode: () => ({ what: m.url_punycode(), then: m.url_punycode_long() }),
  "nonstandard-port": () => ({ what: m.url_port(), then: m.url_port_long() }),
  "ip-in-name": () => ({ what: m.url_ip_in_name(), then: m.url_ip_in_name_long() }),
  "url-in-path": () => ({ what: m.url_in_path(), then: m.url_in_path_long() }),
  "deep-subdomain": () => ({ what: m.url_deep(), then: m.url_deep_long() }),
  "trailing-dot": () => ({ what: m.url_dot(), then: m.url_dot_long() }),
  "long-url": () => ({ what: m.url_long(), then: m.url_long_long() }),
};

/** What is said differently where the address is that of a server and not of a page. */
const OF_SERVERS: Partial<Record<UrlWarning, () => Oddity>> = {
  loopback: () => ({ what: m.warn_this_computer(), then: m.warn_this_computer_long() }),
  "private-address": () => ({ what: m.warn_private(), then: m.warn_private_long() }),
  "intranet-name": () => ({ what: m.warn_private(), then: m.warn_private_long() }),
  "insecure-http": () => ({ what: m.warn_plain(), then: m.warn_plain_long() }),
  "ip-literal": () => ({ what: m.warn_bare(), then: m.warn_bare_long() }),
  punycode: () => ({ what: m.warn_mixed(), then: m.warn_mixed_long() }),
  "nonstandard-port": () => ({ what: m.url_port(), then: m.warn_port_long() }),
  "public-suffix": () => ({ what: m.warn_suffix(), then: m.url_suffix_long() }),
};

/** What leads here: a visit to a page, or a connection to a server. */
export type Purpose = "page" | "server";

/** The words for a warning. */
export function oddity(warning: UrlWarning, purpose: Purpose = "page"): Oddity {
  return ((purpose === "server" ? OF_SERVERS[warning] : undefined) ?? WORDS[warning])();
}

/** What follows from an address on this computer, or is not true of one: nothing crosses the network. */
const FOLLOWS_FROM_LOOPBACK: Record<Purpose, UrlWarning[]> = {
  page: ["insecure-http"],
  server: ["insecure-http", "nonstandard-port", "ip-literal"],
};

/** The warnings of one address that say something new. */
export function worthSaying(warnings: UrlWarning[], purpose: Purpose = "page"): UrlWarning[] {
  if (!warnings.includes("loopback")) return warnings;
  return warnings.filter((warning) => !FOLLOWS_FROM_LOOPBACK[purpose].includes(warning));
}
