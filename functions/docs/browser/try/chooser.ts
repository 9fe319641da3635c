/** The part of the form that says who calls: a partner of the sandbox from a list, or a pasted token. */
import type { Sandbox } from "../../reference/call-plan.js";
import { one } from "../kit/elements.js";
import { keepChoice, keptChoice, type Choice } from "./caller.js";

const sandboxMark = "sandbox:";
const pastedMark = "pasted";

export interface Chooser {
  readonly choice: () => Choice;
  readonly focus: () => void;
}

/** Calls `changed` whenever the reader chooses; shows what the tab remembers. */
export const chooserIn = (
  box: HTMLElement,
  sandbox: Sandbox | null,
  changed: () => void,
): Chooser => {
  const list = one(box, "select", HTMLSelectElement);
  const paste = one(box, ".paste", HTMLElement);
  const [token, authKey, partner] = ["token", "authKey", "partner"].map((name) =>
    one(paste, `[name="${name}"]`, HTMLInputElement),
  ) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];

  const isPasted = (): boolean => sandbox === null || list.value === pastedMark;

  const choice = (): Choice => {
    if (isPasted())
      return {
        pasted: {
          token: token.value.trim().replace(/^Bearer /i, ""),
          authKey: authKey.value.trim(),
          name: partner.value.trim(),
        },
      };
    return list.value.startsWith(sandboxMark)
      ? { sandbox: list.value.slice(sandboxMark.length) }
      : null;
  };

  const recall = (kept: Choice): void => {
    if (kept === null) return;
    if ("pasted" in kept) {
      if (sandbox !== null) list.value = pastedMark;
      token.value = kept.pasted.token;
      authKey.value = kept.pasted.authKey;
      partner.value = kept.pasted.name;
    } else if (sandbox !== null) list.value = `${sandboxMark}${kept.sandbox}`;
  };

  const showPaste = (): void => {
    paste.hidden = !isPasted();
  };

  recall(keptChoice());
  showPaste();
  box.addEventListener("change", () => {
    showPaste();
    keepChoice(choice());
    changed();
  });
  return { choice, focus: () => list.focus() };
};
