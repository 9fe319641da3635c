/** Runs in the page: looks at what is shown, as it is shown, for what a reader could not read, reach or see. */
import type { Review } from "./review.js";

/** Red, green and blue from 0 to 255, and how much of it covers what lies below. */
type Colour = readonly [red: number, green: number, blue: number, cover: number];

/** WCAG 2.2, 1.4.3: large is from 24 pixels on, or 18.66 in bold. */
const contrastNeeded = 4.5;
const contrastOfLarge = 3;

const colourOf = (written: string): Colour => {
  const [red = 0, green = 0, blue = 0, cover = 1] = (written.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, cover];
};

const over = (top: Colour, below: Colour): Colour => {
  const mixed = (place: 0 | 1 | 2): number => top[place] * top[3] + below[place] * (1 - top[3]);
  return [mixed(0), mixed(1), mixed(2), 1];
};

const light = (value: number): number => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const luminance = ([red, green, blue]: Colour): number =>
  0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);

const contrast = (one: Colour, other: Colour): number => {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
};

const grounds = new Map<Element, Colour>();

/** What an element's text lies on. */
const groundOf = (element: Element): Colour => {
  const known = grounds.get(element);
  if (known !== undefined) return known;
  const own = colourOf(getComputedStyle(element).backgroundColor);
  const parent = element.parentElement;
  const ground =
    own[3] === 1 || parent === null ? over(own, [255, 255, 255, 1]) : over(own, groundOf(parent));
  grounds.set(element, ground);
  return ground;
};

/** Elements that are seen through make their text fainter by as much. */
const opacityOf = (element: Element | null): number =>
  element === null
    ? 1
    : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement);

const isShown = (element: Element): boolean =>
  element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
  element.getClientRects().length > 0;

const named = (element: Element): string => {
  const name = element.className === "" ? "" : `.${element.classList.value.replaceAll(" ", ".")}`;
  return `${element.tagName.toLowerCase()}${name}`;
};

const faintnessOf = (element: Element, text: string, style: CSSStyleDeclaration): string[] => {
  const [red, green, blue, cover] = colourOf(style.color);
  const ground = groundOf(element);
  const found = contrast(over([red, green, blue, cover * opacityOf(element)], ground), ground);
  const size = Number.parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  return found < (isLarge ? contrastOfLarge : contrastNeeded)
    ? [`${named(element)} “${text.trim().slice(0, 40)}”: ${found.toFixed(2)}`]
    : [];
};

/** The elements that have text of their own, and fields with theirs. */
const faintTexts = (): string[] => {
  const holders = new Map<Element, string>();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    if (text instanceof Text && text.data.trim() !== "" && text.parentElement !== null)
      holders.set(text.parentElement, text.data);
  const found = [...holders]
    .filter(([element]) => isShown(element))
    .flatMap(([element, text]) => faintnessOf(element, text, getComputedStyle(element)));
  const fields = [...document.querySelectorAll("input, select, textarea")].filter(isShown);
  return [
    ...found,
    ...fields.flatMap((field) => faintnessOf(field, "its text", getComputedStyle(field))),
    ...fields.flatMap((field) =>
      faintnessOf(field, "its hint", getComputedStyle(field, "::placeholder")),
    ),
  ];
};

const overhang = (): string[] => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.body.querySelectorAll("*")].filter(
    (element) => isShown(element) && element.getBoundingClientRect().right > clientWidth + 1,
  );
  return [`${scrollWidth - clientWidth} px`, ...new Set(wide.slice(0, 5).map(named))];
};

const misplacedHeadings = (): string[] => {
  const all = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((heading) => ({
    level: Number(heading.tagName.slice(1)),
    text: heading.textContent,
  }));
  const first = all.filter(({ level }) => level === 1).length;
  return [
    ...(first === 1 ? [] : [`${first} headings of the first level`]),
    ...all
      .filter(({ level }, place) => level > (all[place - 1]?.level ?? 0) + 1 && place > 0)
      .map(({ level, text }) => `h${level} “${text}”`),
  ];
};

/** What the keyboard reaches. */
const stops = (): HTMLElement[] =>
  [
    ...document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [tabindex='0']",
    ),
  ].filter((stop) => isShown(stop) && !stop.matches(":disabled"));

const showsFocus = (stop: HTMLElement): boolean => {
  stop.focus({ preventScroll: true });
  const { outlineStyle, outlineWidth } = getComputedStyle(stop);
  return (
    document.activeElement === stop &&
    outlineStyle !== "none" &&
    Number.parseFloat(outlineWidth) >= 1
  );
};

/** One of each kind: a list of links looks the same all along. */
const unfocused = (): string[] => {
  const kinds = new Map(
    stops().map((stop) => [
      `${stop.parentElement ? named(stop.parentElement) : ""} ${named(stop)}`,
      stop,
    ]),
  );
  const before = document.activeElement;
  const missed = [...kinds].filter(([, stop]) => !showsFocus(stop)).map(([kind]) => kind);
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return missed;
};

const nameOf = (stop: HTMLElement): string =>
  [
    stop.getAttribute("aria-label"),
    stop.textContent,
    ...("labels" in stop ? [...((stop as HTMLInputElement).labels ?? [])] : []).map(
      (label) => label.textContent,
    ),
  ]
    .join("")
    .trim();

/** What lies folded in an article is read as well. */
const unfold = (): void => {
  for (const folded of document.querySelectorAll<HTMLDetailsElement>("article details:not(.event)"))
    folded.open = true;
};

const findings = (): Review => ({
  overhang: overhang(),
  faint: [...new Set(faintTexts())],
  headings: misplacedHeadings(),
  unfocused: unfocused(),
  nameless: stops()
    .filter((stop) => nameOf(stop) === "")
    .map(named),
});

export const review = (): Review => {
  unfold();
  return findings();
};
