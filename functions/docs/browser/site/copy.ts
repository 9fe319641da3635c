/** Buttons that copy a block of code. */
import { all, element, one } from "../kit/elements.js";

const shownMs = 1_500;

for (const block of all(document, "pre[data-copy]", HTMLPreElement)) {
  const button = element("button", "copy", "Copy");
  button.type = "button";
  const copy = async (): Promise<void> => {
    const code = one(block, "code", HTMLElement);
    try {
      await navigator.clipboard.writeText(code.textContent.trimEnd());
      button.textContent = "Copied";
    } catch {
      // Away from localhost and HTTPS a page may not: then the text is selected for the reader.
      getSelection()?.selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), shownMs);
  };
  button.addEventListener("click", () => void copy());
  block.parentElement?.append(button);
}
