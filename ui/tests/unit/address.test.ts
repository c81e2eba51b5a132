import { describe, expect, it } from "vitest";
import { oddity, worthSaying } from "../../src/features/address/address";

describe("the address of a server", () => {
  it("is_not_spoken_of_as_a_page", () => {
    for (const warning of ["loopback", "insecure-http", "ip-literal", "public-suffix", "nonstandard-port"] as const) {
      const { what, then } = oddity(warning, "server");
      expect(`${what} ${then}`).not.toMatch(/\bpages?\b/);
    }
  });

  it("on_this_computer_is_said_once_and_not_as_a_number_with_a_port_too", () => {
    expect(worthSaying(["loopback", "insecure-http", "ip-literal", "nonstandard-port"])).toEqual([
      "loopback",
      "insecure-http",
    ]);
  });

  it("elsewhere_keeps_every_warning", () => {
    expect(worthSaying(["ip-literal", "nonstandard-port"])).toEqual(["ip-literal", "nonstandard-port"]);
  });
});
