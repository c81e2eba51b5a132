import { describe, expect, it } from "vitest";
import type { UrlWarning } from "../../src/host/bindings";
import { oddity, worthSaying } from "../../src/features/address/address";

describe("the address of a server", () => {
  it("is_not_spoken_of_as_a_page", () => {
    for (const warning of ["loopback", "insecure-http", "ip-literal", "public-suffix", "nonstandard-port"] as const) {
      const { what, then } = oddity(warning, "server");
      expect(`${what} ${then}`).not.toMatch(/\bpages?\b/);
    }
  });

  it("on_this_computer_is_said_once_and_nothing_of_others_on_the_network", () => {
    const warnings: UrlWarning[] = ["loopback", "insecure-http", "ip-literal", "nonstandard-port"];
    expect(worthSaying(warnings, "server")).toEqual(["loopback"]);
    expect(worthSaying(warnings)).toEqual(["loopback", "ip-literal", "nonstandard-port"]);
  });

  it("elsewhere_keeps_every_warning", () => {
    const warnings: UrlWarning[] = ["insecure-http", "ip-literal", "nonstandard-port"];
    expect(worthSaying(warnings, "server")).toEqual(warnings);
    expect(worthSaying(warnings)).toEqual(warnings);
  });
});
