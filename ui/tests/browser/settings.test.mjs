// What a person is told in the settings before anything leaves this computer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { EN, visit } from "./look.mjs";

const PROXY = /http:\/\/proxy\.harbour\.example:3128/;

describe("the settings", () => {
  it("say_what_is_between_this_computer_and_a_model_while_its_address_is_typed", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      const row = page.locator(".model", { hasText: "https://models.example.org/v1" });
      assert.match(await row.getByTestId("proxy").innerText(), PROXY);
      const local = page.locator(".model", { hasText: "http://localhost:11434/v1" });
      assert.equal(await local.getByTestId("proxy").count(), 0);
      await page.locator(".acts button").nth(0).click();
      for (const [provider, address] of [
        ["ollama", "http://localhost:11434/v1"],
        ["openai", "https://api.openai.com/v1"],
        ["other", ""],
      ]) {
        await page.getByTestId(`provider-${provider}`).click();
        await page.waitForFunction(
          (wanted) => document.querySelector("form:has([list]) input").value === wanted,
          address,
        );
      }
      const form = page.locator("form", { has: page.locator("[list]") });
      const said = form.getByTestId("proxy");
      const address = form.locator("input").first();
      await address.fill("https://models.example/v1");
      await said.waitFor();
      assert.match(await said.innerText(), PROXY);
      await address.fill("http://localhost:1/v1");
      await said.waitFor({ state: "detached" });
    }));

  it("find_models_on_this_computer_by_themselves_and_say_how_fast_one_answers", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByRole("button", { name: "Use qwen3:14b" }).waitFor();
      await page.locator(".acts button").nth(0).click();
      await page.getByTestId("provider-ollama").click();
      await page.getByText(/answered in \d+/).waitFor();
    }));

  it("name_the_file_with_the_licences_that_the_package_installs", () =>
    visit("index.html", { scene: "memory" }, EN, async (page) => {
      await page.getByTestId("to-settings").click();
      await page.getByTestId("settings-about").click();
      const named = (await page.getByTestId("third-party").innerText()).trim();
      const { bundle } = JSON.parse(readFileSync(new URL("../../../tauri.conf.json", import.meta.url), "utf8"));
      assert.ok(named in bundle.linux.deb.files, named);
    }));
});
