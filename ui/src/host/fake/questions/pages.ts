// Pages that servers ask to open.
import type { Page, UrlInspection } from "../../bindings";

const ADDRESS: UrlInspection = {
  canonical: "https://login.secure.payroll-suite.com/connect?elicitationId=550e8400-e29b-41d4-a716-446655440000",
  escaped: "https://login.secure.payroll-suite.com/connect?elicitationId=550e8400-e29b-41d4-a716-446655440000",
  ascii_host: "login.secure.payroll-suite.com",
  display_host: "login.secure.payroll-suite.com",
  registrable_domain: "payroll-suite.com",
  registrable_display: "payroll-suite.com",
  emphasis: [21, 38],
  port: null,
  warnings: [],
  verdict: "ok",
};

export const PAGE: Page = {
  message: "Please sign in again to continue.",
  address: ADDRESS,
  source: { from: "server", relation: "same_site" },
};

/** An address that leads somewhere else than it seems to. */
export const BLOCKED: UrlInspection = {
  ...ADDRESS,
  canonical: "http://login.secure.xn--pyroll-suite-x9j.com:8443/connect?next=https://payroll-suite.com",
  escaped: "http://login.secure.p\\u{430}yroll-suite.com:8443/connect?next=https://payroll-suite.com",
  ascii_host: "login.secure.xn--pyroll-suite-x9j.com",
  display_host: "login.secure.xn--pyroll-suite-x9j.com",
  registrable_domain: "xn--pyroll-suite-x9j.com",
  registrable_display: "xn--pyroll-suite-x9j.com",
  emphasis: [20, 44],
  port: 8443,
  warnings: ["lookalike", "idn-unsafe", "insecure-http", "nonstandard-port", "url-in-path"],
  verdict: "block",
};

/** A page that a model linked to. */
export const LINK: Page = {
  message: "",
  address: {
    ...ADDRESS,
    canonical: "https://www.yr.no/en/forecast/daily-table/1-72837/Norway/Oslo",
    escaped: "https://www.yr.no/en/forecast/daily-table/1-72837/Norway/Oslo",
    ascii_host: "www.yr.no",
    display_host: "www.yr.no",
    registrable_domain: "yr.no",
    registrable_display: "yr.no",
    emphasis: [12, 17],
  },
  source: { from: "answer", model: "llama3.1 · Ollama" },
};
