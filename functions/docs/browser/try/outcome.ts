/** What is shown of the calls that one click made: a line for each, and the answer. */
import { element } from "../kit/elements.js";
import { isReplay, type Sent } from "./requests.js";

const statusLine = ({ answer, ms }: Sent, label: string): HTMLElement =>
  element(
    "p",
    "line",
    element("span", `status ${answer.ok ? "good" : "bad"}`, String(answer.status)),
    ` ${label}`,
    element("span", "soft", ` ${ms} ms`),
  );

const contentOf = ({ content }: Sent, fileName: string): HTMLElement => {
  if ("json" in content) {
    const code = element("code", "", JSON.stringify(content.json, null, 2));
    return element("figure", "block", element("pre", "", code));
  }
  const { bytes } = content;
  const link = element("a", "", `${bytes.size} bytes, ${bytes.type || "no media type"}`);
  link.href = URL.createObjectURL(bytes);
  link.download = fileName;
  return element("p", "", link);
};

export interface Outcome {
  readonly clear: () => void;
  /** One of the calls that were made first. */
  readonly tellStep: (sent: Sent, summary: string) => void;
  readonly tellAnswer: (sent: Sent) => void;
}

export const outcomeIn = (box: HTMLElement, fileName: string): Outcome => ({
  clear: () => {
    box.replaceChildren();
  },
  tellStep: (sent, summary) => {
    box.append(statusLine(sent, `first: ${summary}`));
    if (!sent.answer.ok) box.append(contentOf(sent, fileName));
  },
  tellAnswer: (sent) => {
    const label = isReplay(sent) ? "the first answer again, by its key" : "";
    box.append(statusLine(sent, label), contentOf(sent, fileName));
  },
});
