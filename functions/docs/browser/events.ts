/** Opens the event that the address names, and searches: what has all the words stays. */
import { all, maybe, one } from "./kit/elements.js";
import { hasWords, wordsOf } from "./kit/words.js";

const events = all(document, "details.event", HTMLDetailsElement);
const input = one(document, "input.find", HTMLInputElement);
const nothing = one(document, ".nothing", HTMLElement);

const openNamed = (): void => {
  const named = document.getElementById(location.hash.slice(1));
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView({ behavior: "instant" });
};
addEventListener("hashchange", openNamed);
openNamed();

// An event that was opened by hand can be linked to as well.
for (const event of events)
  event.addEventListener("toggle", () => {
    if (event.open) history.replaceState(null, "", `#${event.id}`);
  });

const texts = events.map((event) => ({ event, text: event.textContent.toLowerCase() }));
input.addEventListener("input", () => {
  const words = wordsOf(input.value);
  for (const { event, text } of texts) event.hidden = !hasWords(text, words);
  for (const subject of all(document, "section.subject", HTMLElement))
    subject.hidden = maybe(subject, "details.event:not([hidden])", HTMLElement) === undefined;
  nothing.hidden = events.some((event) => !event.hidden);
});
