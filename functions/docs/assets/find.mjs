// The search over an API's operations: what has all the words stays. And the list of them on a phone.
const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Folders are open while one searches, and as they were before afterwards. */
const searchIn = (input, scope) => {
  const items = [...scope.querySelectorAll("li[data-words]")].map((item) => ({
    item,
    text: `${item.textContent.toLowerCase()} ${item.dataset.words}`,
  }));
  const groups = [...scope.querySelectorAll("details, section.subject")];
  const openBefore = groups.map((group) => group.open);
  input.addEventListener("input", () => {
    const wanted = words(input.value);
    for (const { item, text } of items) item.hidden = !wanted.every((word) => text.includes(word));
    for (const [place, group] of groups.entries()) {
      group.hidden = group.querySelector("li[data-words]:not([hidden])") === null;
      if ("open" in group) group.open = wanted.length > 0 || openBefore[place];
    }
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") scope.querySelector("li[data-words]:not([hidden]) a")?.click();
  });
};

for (const input of document.querySelectorAll("input.find"))
  searchIn(input, input.closest("nav.operations, .overview-page"));

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  const input = document.querySelector("input.find");
  if (input === null) return;
  event.preventDefault();
  input.focus();
});

const unfold = document.querySelector("nav.operations .unfold");
unfold?.addEventListener("click", () => {
  const isOpen = unfold.getAttribute("aria-expanded") === "true";
  unfold.setAttribute("aria-expanded", String(!isOpen));
});

// The list shows where one is.
const list = document.querySelector("nav.operations .list");
const here = list?.querySelector("[aria-current]");
if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;

// Links into the former page, `#/tag/operation`, lead to the operation's own.
const former = /^#\/[^/]+\/(\w+)$/.exec(location.hash);
if (former !== null && /^\/docs\/reference\/\w+$/.test(location.pathname))
  location.replace(`${location.pathname}/${former[1]}`);
