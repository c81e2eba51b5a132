// How the tests name things on a page: as a person or a screen reader would, by role and accessible name or by the
// visible words. `locate` runs inside the page, so it must not refer to anything outside its own body. It is a small
// reading of the accessible-name rules, enough for our own markup, and deliberately no substitute for axe-core.

/** A thing with this ARIA role whose accessible name is `name` (a string is compared whole, a RegExp searched). */
export const role = (kind, name) => ({ role: kind, name: pattern(name) });
/** The innermost visible element whose text is (string) or matches (RegExp) `words`. */
export const text = (words) => ({ text: pattern(words) });
/** What a CSS selector finds, for the few things that have neither role nor words. */
export const css = (selector) => ({ css: selector });

/** In words, for messages. */
export function describe(locator) {
  const words = (/** @type {{ source?: string, exact?: string }} */ { source, exact } = {}) =>
    source === undefined ? "" : exact === undefined ? ` /${source}/` : ` “${exact}”`;
  if (locator.css) return locator.css;
  return locator.role ? `${locator.role}${words(locator.name)}` : `text${words(locator.text)}`;
}

function pattern(value) {
  if (value === undefined) return undefined;
  return value instanceof RegExp ? { source: value.source, flags: value.flags } : { exact: value, source: "" };
}

/** In the page: every visible element that `wanted` names, in document order, inside `scope` (default: the document). */
export function locate(wanted, scope) {
  const IMPLICIT = {
    alert: "[role=alert]",
    article: "article",
    button: "button, input[type=button], input[type=submit], summary",
    checkbox: "input[type=checkbox]",
    combobox: "select",
    dialog: "dialog[open]",
    heading: "h1, h2, h3, h4, h5, h6",
    link: "a[href]",
    list: "ul, ol",
    listitem: "li",
    main: "main",
    navigation: "nav",
    option: "option",
    radio: "input[type=radio]",
    region: "section[aria-label], section[aria-labelledby]",
    row: "tr",
    spinbutton: "input[type=number]",
    switch: "[role=switch]",
    table: "table",
    textbox:
      "input:not([type]), input[type=text], input[type=search], input[type=url], input[type=email], input[type=password], textarea, [contenteditable=true]",
  };
  const squeeze = (value) => (value ?? "").replace(/\s+/g, " ").trim();
  const visible = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return false;
    return getComputedStyle(element).visibility !== "hidden" && !element.closest("[aria-hidden=true], [inert]");
  };
  const nameOf = (element) => {
    const referred = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    if (referred.length > 0) {
      return squeeze(referred.map((id) => document.getElementById(id)?.textContent ?? "").join(" "));
    }
    const given = squeeze(element.getAttribute("aria-label"));
    if (given) return given;
    const labels = element.labels ? [...element.labels] : [];
    if (labels.length > 0) return squeeze(labels.map((label) => label.textContent).join(" "));
    const own = /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)
      ? ""
      : squeeze(element.innerText ?? element.textContent);
    return (
      own ||
      squeeze(element.getAttribute("placeholder") ?? element.getAttribute("title") ?? element.getAttribute("alt"))
    );
  };
  const fits = (value, want) => {
    if (want === undefined) return true;
    return want.exact === undefined ? new RegExp(want.source, want.flags).test(value) : value === want.exact;
  };

  const root = scope ?? document;
  if (wanted.css) return [...root.querySelectorAll(wanted.css)].filter(visible);
  if (wanted.role) {
    const implicit = IMPLICIT[wanted.role];
    const selector = `[role=${wanted.role}]${implicit ? `, ${implicit}` : ""}`;
    return [...root.querySelectorAll(selector)].filter((element) => {
      const role = element.getAttribute("role");
      return (role === null || role === wanted.role) && visible(element) && fits(nameOf(element), wanted.name);
    });
  }
  const holding = [...root.querySelectorAll("*")].filter(
    (element) => visible(element) && fits(squeeze(element.innerText ?? element.textContent), wanted.text),
  );
  return holding.filter((element) => !holding.some((other) => other !== element && element.contains(other)));
}
