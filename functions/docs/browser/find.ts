/** The search over an API's operations: what has all the words stays. And the list of them on a phone. */
import { all, maybe } from "./kit/elements.js";
import { hasWords, wordsOf } from "./kit/words.js";

/** Folders are open while one searches, and as they were before afterwards. */
const searchIn = (input: HTMLInputElement, scope: Element): void => {
  const items = all(scope, "li[data-words]", HTMLLIElement).map((item) => ({
    item,
    text: `${item.textContent} ${item.dataset["words"] ?? ""}`.toLowerCase(),
  }));
  const groups = all(scope, "details, section.subject", HTMLElement).map((group) => ({
    group,
    wasOpen: group instanceof HTMLDetailsElement && group.open,
  }));
  input.addEventListener("input", () => {
    const words = wordsOf(input.value);
    for (const { item, text } of items) item.hidden = !hasWords(text, words);
    for (const { group, wasOpen } of groups) {
      group.hidden = maybe(group, "li[data-words]:not([hidden])", HTMLLIElement) === undefined;
      if (group instanceof HTMLDetailsElement) group.open = words.length > 0 || wasOpen;
    }
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") maybe(scope, "li[data-words]:not([hidden]) a", HTMLAnchorElement)?.click();
  });
};

for (const input of all(document, "input.find", HTMLInputElement)) {
  const scope = input.closest("nav.operations, .overview-page");
  if (scope !== null) searchIn(input, scope);
}

const unfold = maybe(document, "nav.operations .unfold", HTMLButtonElement);
unfold?.addEventListener("click", () => {
  const isOpen = unfold.getAttribute("aria-expanded") === "true";
  unfold.setAttribute("aria-expanded", String(!isOpen));
});

// The list shows where one is.
const list = maybe(document, "nav.operations .list", HTMLElement);
const here = list && maybe(list, "[aria-current]", HTMLElement);
if (list !== undefined && here !== undefined)
  list.scrollTop = here.offsetTop - list.clientHeight / 2;

// Links into the former page, `#/tag/operation`, lead to the operation's own.
const former = /^#\/[^/]+\/(\w+)$/.exec(location.hash)?.[1];
if (former !== undefined && /^\/docs\/reference\/\w+$/.test(location.pathname))
  location.replace(`${location.pathname}/${former}`);
