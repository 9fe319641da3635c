// Light or dark, before anything is painted: what the reader chose here, else what the system says.
// `data-theme` on the root always names the one that is shown; "themechange" on the document tells of a change.
(() => {
  const key = "borsello-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  // A browser that lets pages keep nothing still remembers while the page is open.
  let chosen = null;
  const read = () => {
    try {
      chosen = localStorage.getItem(key);
    } catch {}
  };
  const keep = () => {
    try {
      if (chosen === null) localStorage.removeItem(key);
      else localStorage.setItem(key, chosen);
    } catch {}
  };
  const systemTheme = () => (system.matches ? "dark" : "light");
  const show = () => {
    const theme = chosen ?? systemTheme();
    if (root.dataset.theme === theme) return;
    root.dataset.theme = theme;
    document.dispatchEvent(new CustomEvent("themechange", { detail: theme }));
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
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = root.dataset.theme === "dark" ? "light" : "dark";
      // What the system says anyway is no choice: the page then goes on following it.
      chosen = next === systemTheme() ? null : next;
      keep();
      show();
    });
  });
})();
