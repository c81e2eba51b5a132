// Checks the catalogues of the user interface against docs/terms.tsv: where an English message uses a term, its Chinese
// translation uses the one Chinese term for it. Also checks that no English message uses a phrase that the product's
// text avoids.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (file) => readFileSync(join(ROOT, file), "utf8");
const en = JSON.parse(read("ui/messages/en.json"));
const zh = JSON.parse(read("ui/messages/zh-CN.json"));

/** Words without a clear subject or with a common name that is better known; house style lists the reasons. */
const AVOIDED = [
  /\b(who|what|which)ever\b/i,
  /\b(no|some|any)body\b/i,
  /\b(anew|in vain|of itself|by itself|can not|e-mail)\b/i,
  /\b(hears?|heard) of\b/i,
  /\b(take|takes|taken|took) back\b/i,
  /\b(take|takes|taken) in\b/i,
  /\b(put|puts) off\b/i,
  /\bstands? (on|above|below|in|before)\b/i,
  /\b(declin|refus)(e|es|ed|ing)\b/i,
  /\b(consent|questions?)\b/i,
  /\bwhose it is\b/i,
];
/** The label of what a server asks the user in its form. */
const ALLOWED = new Set(["form_what_it_asks"]);

const COLUMNS = 4;
const terms = read("docs/terms.tsv")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const cells = line.split("\t");
    if (cells.length < COLUMNS - 1 || cells.length > COLUMNS) throw new Error(`docs/terms.tsv: ${line}`);
    const [english, chinese, , except = ""] = cells;
    return { english, chinese, except: new Set(except.split(",").filter(Boolean)) };
  })
  // A longer term hides the shorter ones in it: "resource template" is not checked as "resource".
  .toSorted((one, other) => other.english.length - one.english.length);

/** All forms of a message, as one text. */
const textOf = (message) =>
  typeof message === "string" ? message : message.flatMap(({ match }) => Object.values(match)).join("\n");

const wrong = [];
const seen = new Set();
for (const [key, message] of Object.entries(en)) {
  if (key.startsWith("$")) continue;
  const translated = textOf(zh[key]);
  let left = textOf(message).replaceAll(/\{\w+\}/g, "{}");
  for (const { english, chinese, except } of terms) {
    const found = new RegExp(`\\b${english}(s|es)?\\b`, "gi");
    if (!found.test(left)) continue;
    seen.add(english);
    left = left.replaceAll(found, "{}");
    if (!except.has(key) && !translated.includes(chinese)) {
      wrong.push(`${key}: “${english}” is not “${chinese}” in: ${translated}`);
    }
  }
  for (const phrase of ALLOWED.has(key) ? [] : AVOIDED) {
    const found = phrase.exec(textOf(message));
    if (found) wrong.push(`${key}: avoid “${found[0]}” in: ${textOf(message)}`);
  }
}
for (const { english, except } of terms) {
  if (!seen.has(english)) wrong.push(`docs/terms.tsv: no message uses “${english}”`);
  for (const key of except) if (!(key in en)) wrong.push(`docs/terms.tsv: there is no message “${key}”`);
}
const twice = terms.filter(({ english }, at) => terms.findIndex((one) => one.english === english) !== at);
for (const { english } of twice) wrong.push(`docs/terms.tsv: “${english}” is there twice`);

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
console.log(`${terms.length} terms: each is translated by one word`);
