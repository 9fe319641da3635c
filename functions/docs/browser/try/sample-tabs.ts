/** The samples of the call in the form: a tab for each language, and the one that the reader chose last. */
import { all, one } from "../kit/elements.js";
import { keep, readKept } from "../kit/storage.js";
import { samples, type SampleCall } from "./samples.js";

const chosenKey = "borsello-sample";
const first = "curl";

/** Returns what shows them anew, once the call has changed. */
export const sampleTabs = (box: HTMLElement, describe: () => SampleCall): (() => void) => {
  const tabs = all(box, "[data-sample]", HTMLButtonElement);
  const code = one(box, "code", HTMLElement);
  const show = (): void => {
    const kept = readKept("localStorage", chosenKey) ?? first;
    const chosen = kept in samples ? kept : first;
    code.textContent = samples[chosen]?.(describe()) ?? "";
    for (const tab of tabs)
      tab.setAttribute("aria-selected", String(tab.dataset["sample"] === chosen));
  };
  for (const tab of tabs)
    tab.addEventListener("click", () => {
      keep("localStorage", chosenKey, tab.dataset["sample"] ?? first);
      show();
    });
  box.hidden = false;
  return show;
};
