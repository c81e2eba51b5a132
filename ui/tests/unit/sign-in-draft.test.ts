import { describe, expect, it } from "vitest";
import type { SignInSettings } from "../../src/host/bindings";
import { draftOf, emptyDraft, isWhole, methods, secretsOf, settingsOf } from "../../src/views/servers/signInDraft";

const USUAL: SignInSettings = {
  method: "page",
  client: null,
  bound: true,
  document: null,
  key: { algorithm: "ES256", id: null },
  company: null,
  token_file: null,
};
const COMPANY: SignInSettings = {
  ...USUAL,
  method: "enterprise",
  client: { issuer: "https://as.example.com", id: "ours", port: null },
  company: { issuer: "https://idp.example.com", token_endpoint: "https://idp.example.com/token", client: "us-there" },
  token_file: "/run/id-token",
};

describe("the form for how to sign in", () => {
  it("gives_back_what_is_set", () => {
    const all: SignInSettings[] = [
      USUAL,
      { ...USUAL, document: "https://example.com/client.json" },
      { ...USUAL, client: { issuer: "https://as.example.com", id: "ours", port: 4180 }, bound: false },
      { ...USUAL, method: "client_key", client: COMPANY.client, key: { algorithm: "PS256", id: "key-7" } },
      COMPANY,
      { ...USUAL, method: "workload", token_file: "/run/secrets/token" },
    ];
    for (const settings of all) {
      expect(settingsOf(draftOf(settings))).toEqual(settings);
      expect(isWhole(draftOf(settings))).toBe(true);
    }
  });

  it("holds_no_secret_that_was_not_written_in_it", () => {
    expect(secretsOf(draftOf(COMPANY))).toEqual({ client: null, company: null });
    expect(secretsOf({ ...draftOf(COMPANY), companySecret: "s" })).toEqual({ client: null, company: "s" });
  });

  it("wants_what_its_way_needs", () => {
    expect(isWhole({ ...emptyDraft(), client: "ours" })).toBe(false);
    expect(isWhole({ ...emptyDraft(), method: "client_secret" })).toBe(false);
    expect(isWhole({ ...draftOf(COMPANY), file: " " })).toBe(false);
    expect(isWhole({ ...emptyDraft(), method: "workload" })).toBe(false);
  });

  // AX-001, AX-021.
  it("offers_ways_without_a_page_where_the_server_says_it_has_them", () => {
    const none = { client_credentials: false, enterprise: false, workload: false, documents: false };
    expect(methods(null, "page")).toEqual(["page", "client_secret", "client_key"]);
    expect(methods(none, "page")).toEqual(["page"]);
    expect(methods({ ...none, enterprise: true }, "page")).toEqual(["page", "enterprise"]);
    expect(methods({ ...none, workload: true, client_credentials: true }, "page")).toEqual([
      "page",
      "client_secret",
      "client_key",
      "workload",
    ]);
    expect(methods(none, "workload")).toEqual(["page", "workload"]);
  });

  it("sends_no_document_beside_an_entered_client", () => {
    const draft = {
      ...emptyDraft(),
      client: "ours",
      issuer: "https://as.example.com",
      document: "https://x.example/c",
    };
    expect(settingsOf(draft).document).toBeNull();
  });
});
