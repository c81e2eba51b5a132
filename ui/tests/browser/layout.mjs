// What is wrong with the layout of a page, found in the page itself: each function runs there and returns short lines.

/** What has to be scrolled sideways, and every control of which a part is beside the window. */
export function cutOff() {
  const found = [];
  const sideways = (it) => /auto|scroll/.test(getComputedStyle(it).overflowX) && it.scrollWidth > it.clientWidth + 1;
  const carried = (it) => it !== null && (sideways(it) || carried(it.parentElement));
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  /** @type {NodeListOf<HTMLElement>} */
  const controls = document.querySelectorAll("button, [role=tab], input, select, textarea");
  for (const it of controls) {
    const box = it.getBoundingClientRect();
    const style = getComputedStyle(it);
    // What is drawn by a label lies under it.
    if (box.width === 0 || style.visibility === "hidden" || style.opacity === "0") continue;
    if (it.closest("[inert], [aria-hidden=true]") || carried(it.parentElement)) continue;
    const words = (it.getAttribute("aria-label") ?? it.innerText ?? "").slice(0, 40);
    if (box.left < -1 || box.right > innerWidth + 1)
      found.push(`${it.tagName} “${words}” from ${box.left} to ${box.right}`);
  }
  // Code and raw messages keep their lines; whatever else is read is read without moving it.
  const own = "pre, pre *, .inbox, [role=tablist]";
  for (const it of document.querySelectorAll("body *"))
    if (!it.matches(own) && sideways(it))
      found.push(`${it.tagName}.${it.className}: ${it.scrollWidth} in ${it.clientWidth}`);
  return found;
}

/** Texts and controls that lie over each other, in front of everything else if a sheet or a menu is open. */
export function overlaps() {
  const root = document.querySelector("dialog[open]") ?? document.querySelector("[role=menu]") ?? document.body;
  const controls = "button, input, select, textarea, summary, [role=tab], [role=option]";
  const name = (it) => `${it.tagName}.${it.classList[0] ?? ""} “${(it.innerText || it.ariaLabel || "").slice(0, 30)}”`;
  const shown = (it) => it.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const own = (it) => [...it.childNodes].filter((node) => node.nodeType === 3 && node.data.trim() !== "");
  const scrolls = (it) => /auto|scroll/.test(getComputedStyle(it).overflowY);
  const floats = (it) => /sticky|fixed/.test(getComputedStyle(it).position) || it.matches("[role=menu], dialog");
  const chain = (it) => (it === null ? [] : [it, ...chain(it.parentElement)]);

  /** The part of a box that its ancestors leave in sight, up to the nearest one that scrolls. */
  function inSight(box, ancestors) {
    let { left, top, right, bottom } = box;
    let pane = null;
    for (const it of ancestors) {
      const { overflowX, overflowY } = getComputedStyle(it);
      if (overflowX === "visible" && overflowY === "visible") continue;
      if (scrolls(it)) {
        pane = it;
        break;
      }
      const outer = it.getBoundingClientRect();
      [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
      [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
    return { left, top, right, bottom, pane };
  }

  /** A button that lies on a larger one, such as that of a row. */
  const within = (a, b) =>
    a.control && b.control && a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;

  const boxes = [];
  for (const it of root.querySelectorAll("*")) {
    if (!shown(it) || it.matches(".unseen") || it.closest("svg, [inert], [aria-hidden=true]")) continue;
    const ancestors = chain(it.parentElement);
    const layer = [it, ...ancestors].find(floats) ?? null;
    const rects = it.matches(controls) ? [it.getBoundingClientRect()] : [];
    const texts = own(it).flatMap((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    });
    const all = [
      ...rects.map((box) => [box, ancestors, true]),
      ...texts.map((box) => [box, [it, ...ancestors], false]),
    ];
    for (const [box, over, control] of all) {
      const seen = inSight(box, over);
      if (seen.right - seen.left > 2 && seen.bottom - seen.top > 2) boxes.push({ ...seen, it, layer, control });
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  const found = new Set();
  for (const [index, a] of boxes.entries()) {
    for (let next = index + 1; next < boxes.length && boxes[next].top < a.bottom - 3; next += 1) {
      const b = boxes[next];
      if (within(a, b) || within(b, a)) continue;
      if (a.it === b.it || a.pane !== b.pane || a.layer !== b.layer || a.it.contains(b.it) || b.it.contains(a.it))
        continue;
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) <= 3) continue;
      if (a.it.closest("label")?.contains(b.it) || b.it.closest("label")?.contains(a.it)) continue;
      found.add(`${name(a.it)} and ${name(b.it)} at ${Math.round(b.left)}, ${Math.round(b.top)}`);
    }
  }
  return [...found].slice(0, 20);
}

/** Words that are cut off where nothing says them whole: no tooltip, nothing that unfolds, and no way to scroll. */
export function unreadable() {
  const found = new Set();
  /** @type {NodeListOf<HTMLElement>} */
  const all = document.querySelectorAll("body *");
  for (const it of all) {
    if (it.matches("input, textarea, select, option, .unseen") || it.closest("svg, [inert], .unseen")) continue;
    if (!it.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || !it.innerText?.trim()) continue;
    const { overflowX, overflowY } = getComputedStyle(it);
    const hides = (overflow) => overflow === "hidden" || overflow === "clip";
    const wide = hides(overflowX) && it.scrollWidth > it.clientWidth + 1;
    const high = hides(overflowY) && it.scrollHeight > it.clientHeight + 3;
    if (!wide && !high) continue;
    const told = it.closest("[title]") ?? it.querySelector("[title]");
    if (told !== null || it.closest("[aria-expanded]") !== null) continue;
    found.add(`${it.tagName}.${it.className} in ${it.parentElement.className}: “${it.innerText.slice(0, 40)}”`);
  }
  return [...found].slice(0, 20);
}
