/**
 * Light or dark, before anything is painted: what the reader chose here, else what the system says.
 * `data-theme` on the root always names the one that is shown.
 */
type Theme = "light" | "dark";

const key = "borsello-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
/** A browser that lets pages keep nothing still remembers while the page is open. */
let chosen: string | null = null;

const read = (): void => {
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // Nothing is kept here: the choice stays as it is.
  }
};

const keep = (): void => {
  try {
    if (chosen === null) localStorage.removeItem(key);
    else localStorage.setItem(key, chosen);
  } catch {
    // Nothing is kept here: the choice ends with the page.
  }
};

const systemTheme = (): Theme => (system.matches ? "dark" : "light");

const show = (): void => {
  const theme = chosen ?? systemTheme();
  if (root.dataset["theme"] === theme) return;
  root.dataset["theme"] = theme;
};

const toggle = (): void => {
  const next: Theme = root.dataset["theme"] === "dark" ? "light" : "dark";
  // What the system says anyway is no choice: the page then goes on following it.
  chosen = next === systemTheme() ? null : next;
  keep();
  show();
};

read();
show();
system.addEventListener("change", show);
addEventListener("storage", () => {
  read();
  show();
});
document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  if (button === null) return;
  button.hidden = false;
  button.addEventListener("click", toggle);
});
