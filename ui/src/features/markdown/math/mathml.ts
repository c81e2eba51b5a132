// TeX as elements of MathML. The library only gives a tree: elements, attributes and lengths that are not named here are
// left out, so that a formula cannot address anything, take a style or lie over what is beside it. Loaded when the first
// formula is drawn.
import temml from "temml";

/** What the library gives: an element with a type, a group without one, or a text. */
interface Tree {
  type?: string;
  text?: string;
  attributes?: Record<string, unknown>;
  classes?: string[];
  children?: Tree[];
}

const MATHML = "http://www.w3.org/1998/Math/MathML";
/** What one formula may cost: expansions of macros, elements, and elements within each other. */
const MOST_EXPANSIONS = 500;
const MOST_ELEMENTS = 4_000;
const DEEPEST = 80;
/** The sizes that a formula may ask for, in em. */
const [LEAST_SIZE, MOST_SIZE] = [-0.3, 10];

const ELEMENTS = new Set(
  (
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover " +
    "munderover mmultiscripts mprescripts none mtable mtr mtd menclose"
  ).split(" "),
);
const TRUTH = /^(?:true|false)$/;
const SIZE = /^(-?\d*\.?\d+)(?:em|ex)?$/;
const ATTRIBUTES: Record<string, RegExp> = {
  accent: TRUTH,
  accentunder: TRUTH,
  depth: SIZE,
  displaystyle: TRUTH,
  fence: TRUTH,
  form: /^(?:prefix|infix|postfix)$/,
  height: SIZE,
  largeop: TRUTH,
  linethickness: /^0(?:px)?$/,
  lspace: SIZE,
  mathvariant: /^normal$/,
  maxsize: SIZE,
  minsize: SIZE,
  movablelimits: TRUTH,
  notation: /^[a-z ]{1,60}$/,
  rspace: SIZE,
  scriptlevel: /^[+-]?\d$/,
  separator: TRUTH,
  stretchy: TRUTH,
  symmetric: TRUTH,
  width: SIZE,
};
/** Which side the cells of equations that are aligned stand at. */
const SIDES: Record<string, string> = { "tml-left": "left", "tml-right": "right" };

/** The formula as an element, or null where it is none or costs too much. */
export function mathml(tex: string, display: boolean): Element | null {
  try {
    const options = { displayMode: display, throwOnError: true, maxExpand: MOST_EXPANSIONS };
    const tree = temml.__renderToMathMLTree(tex, options) as Tree;
    const place = document.createElement("span");
    append(place, tree, { elements: 0, depth: 0 });
    const math = place.firstElementChild;
    if (display) math?.setAttribute("display", "block");
    return math;
  } catch {
    return null;
  }
}

/** Adds a part of the tree. Throws where the whole is too much. */
function append(
  place: Element,
  { type, text, children = [], ...rest }: Tree,
  count: { elements: number; depth: number },
) {
  if (text !== undefined) place.append(text);
  if (type !== undefined && !ELEMENTS.has(type)) throw new RangeError(`no element of a formula: ${type}`);
  if ((count.elements += 1) > MOST_ELEMENTS || count.depth > DEEPEST) throw new RangeError("too much for a formula");
  const element = type === undefined ? place : document.createElementNS(MATHML, type);
  if (element !== place) {
    place.append(element);
    describe(element, rest);
  }
  count.depth += 1;
  for (const child of children) append(element, child, count);
  count.depth -= 1;
}

function describe(element: Element, { attributes = {}, classes = [] }: Tree): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "string" && isAllowed(name, value)) element.setAttribute(name, value);
  }
  const side = classes.map((name) => SIDES[name]).find((name) => name !== undefined);
  if (side !== undefined) element.setAttribute("class", side);
}

function isAllowed(name: string, value: string): boolean {
  const allowed = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined;
  const found = allowed?.exec(value);
  if (!found || allowed !== SIZE) return Boolean(found);
  const size = Number(found[1]);
  return size >= LEAST_SIZE && size <= MOST_SIZE;
}
