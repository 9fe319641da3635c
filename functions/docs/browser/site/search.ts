/** The search over all pages: opened by its button or "/", from an index that is loaded when it is first wanted. */
import type { SearchEntry } from "../../search-entry.js";
import { all, element, one } from "../kit/elements.js";
import { foundIn, type Found } from "./ranking.js";

const indexPath = "/docs/search.json";

const link = ({ title, about, path }: SearchEntry): HTMLLIElement => {
  const made = element("a", "", element("strong", "", title), element("span", "", about));
  made.href = path;
  return element("li", "", made);
};

const section = ({ kind, entries }: Found): HTMLElement =>
  element("section", "", element("h2", "", kind), element("ul", "", ...entries.map(link)));

const load = async (): Promise<readonly SearchEntry[]> => {
  const answer = await fetch(indexPath);
  if (!answer.ok) throw new Error(`The search's index is not to be had: ${answer.status}.`);
  return (await answer.json()) as readonly SearchEntry[];
};

const buildDialog = () => {
  const input = element("input", "");
  input.type = "search";
  input.placeholder = "Search guides, calls, events and errors";
  input.setAttribute("aria-label", "Search all pages");
  input.autocomplete = "off";
  input.spellcheck = false;
  const results = element("div", "results");
  results.setAttribute("aria-live", "polite");
  const dialog = element("dialog", "search", input, results);
  dialog.setAttribute("aria-label", "Search");
  document.body.append(dialog);
  return { dialog, input, results };
};

let parts: ReturnType<typeof buildDialog> | undefined;
let index: Promise<readonly SearchEntry[]> | undefined;

const show = async (): Promise<void> => {
  if (parts === undefined) return;
  const { input, results } = parts;
  try {
    const entries = await (index ??= load());
    const found = foundIn(entries, input.value);
    const isNothing = found.length === 0 && input.value.trim() !== "";
    results.replaceChildren(
      ...(isNothing
        ? [element("p", "soft", "Nothing has all of these words.")]
        : found.map(section)),
    );
  } catch (error) {
    index = undefined;
    if (!(error instanceof Error)) throw error;
    results.replaceChildren(element("p", "soft", error.message));
  }
};

/** Up and down between the box and what was found. */
const move = (dialog: HTMLElement, step: 1 | -1): void => {
  const stops = all(dialog, "input, a", HTMLElement);
  const here = stops.findIndex((stop) => stop === document.activeElement);
  stops[Math.min(Math.max(here + step, 0), stops.length - 1)]?.focus();
};

const make = () => {
  const made = buildDialog();
  const { dialog, input, results } = made;
  input.addEventListener("input", () => void show());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(dialog, 1);
    else if (event.key === "ArrowUp") move(dialog, -1);
    else if (event.key === "Enter" && event.target === input)
      all(results, "a", HTMLAnchorElement)[0]?.click();
    else return;
    event.preventDefault();
  });
  // A link to a place on this very page leaves it open otherwise; so does a click beside it.
  dialog.addEventListener("click", ({ target }) => {
    const isLink = target instanceof Element && target.closest("a") !== null;
    if (isLink || target === dialog) dialog.close();
  });
  return made;
};

const open = (): void => {
  parts ??= make();
  if (!parts.dialog.open) parts.dialog.showModal();
  parts.input.select();
  void show();
};

const button = one(document, "#search", HTMLButtonElement);
button.hidden = false;
button.addEventListener("click", open);
document.addEventListener("keydown", (event) => {
  const isWriting =
    event.target instanceof Element && event.target.matches("input, textarea, select");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
  event.preventDefault();
  open();
});
