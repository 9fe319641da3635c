// Opens the event that the address names, and searches: what has all the words stays.
const events = [...document.querySelectorAll("details.event")];
const input = document.querySelector("input.find");
const nothing = document.querySelector(".nothing");

const openNamed = () => {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.matches("details.event")) return;
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

const texts = new Map(events.map((event) => [event, event.textContent.toLowerCase()]));
input.addEventListener("input", () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const event of events)
    event.hidden = !words.every((word) => texts.get(event).includes(word));
  for (const subject of document.querySelectorAll("section.subject"))
    subject.hidden = subject.querySelector("details.event:not([hidden])") === null;
  nothing.hidden = events.some((event) => !event.hidden);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  input.focus();
});
