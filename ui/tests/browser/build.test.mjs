// What is in the app's own build, and what must not be.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

describe("the app's own build", () => {
  const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(js|css|html)$/.test(file),
  );
  const read = (file) => readFileSync(`dist/${file}`, "utf8");

  it("holds_nothing_of_the_fake_host", () => {
    assert.ok(files.length > 3);
    for (const file of files) assert.doesNotMatch(read(file), /collect\.example\.net|nonce-q|acme\/notes-mcp/, file);
  });

  it("has_no_inline_scripts_or_styles_and_no_fonts_as_data", () => {
    for (const file of files.filter((name) => name.endsWith(".html"))) {
      assert.doesNotMatch(read(file), /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/, file);
    }
    for (const file of files.filter((name) => name.endsWith(".css")))
      assert.doesNotMatch(read(file), /url\(["']?(data:|https?:)/, file);
  });
});
