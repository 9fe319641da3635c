/**
 * Light or dark, before anything is painted: what the reader chose here, else what the system says.
 * `data-theme` on the root always names the one that is shown.
 */
import { forget, keep, readKept } from "./kit/storage.js";

type Theme = "light" | "dark";

const key = "borsello-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

const systemTheme = (): Theme => (system.matches ? "dark" : "light");

const show = (): void => {
  const theme = readKept("localStorage", key) ?? systemTheme();
  if (root.dataset["theme"] === theme) return;
  root.dataset["theme"] = theme;
};

const toggle = (): void => {
  const next: Theme = root.dataset["theme"] === "dark" ? "light" : "dark";
  // What the system says anyway is no choice: the page then goes on following it.
  if (next === systemTheme()) forget("localStorage", key);
  else keep("localStorage", key, next);
  show();
};

show();
system.addEventListener("change", show);
addEventListener("storage", show);
document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  if (button === null) return;
  button.hidden = false;
  button.addEventListener("click", toggle);
});
