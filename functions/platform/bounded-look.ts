/** Looks at what the platform depends on that never hang and never pile up, whatever does not answer. */
import { isOutage, type NoteFailure } from "../../shared/platform/outage.js";

/** What a part answered, or why it did not, in a sentence that anybody may read. */
export type Looked<Value> =
  | { readonly value: Value; readonly problem: null }
  | { readonly value: undefined; readonly problem: string };

export interface PartOfPlatform {
  /** As a sentence begins: "The database". */
  readonly name: string;
  /** What is known about a failure; by default that the part does not answer, or fails. */
  readonly explain?: (error: unknown) => string | undefined;
}

type Look = <Value>(part: PartOfPlatform, work: () => Promise<Value>) => Promise<Looked<Value>>;

/** A look that is under way for longer is not begun a second time: what is frozen would gather them. */
export const boundedLooks = (note: NoteFailure, patienceMs: number): Look => {
  const underWay = new Map<string, Promise<unknown>>();
  return async (part, work) => {
    const { name, explain } = part;
    const late = { value: undefined, problem: `${name} does not answer.` };
    if (underWay.has(name)) return late;
    const looking = work().then(
      (value) => ({ value, problem: null }),
      (error: unknown) => {
        note(`Health: ${name}`, error);
        const unexplained = isOutage(error) ? late.problem : `${name} fails; the log says why.`;
        return { value: undefined, problem: explain?.(error) ?? unexplained };
      },
    );
    underWay.set(name, looking);
    void looking.finally(() => underWay.delete(name));
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<typeof late>((resolve) => {
      timer = setTimeout(() => resolve(late), patienceMs);
    });
    return Promise.race([looking, tooLate]).finally(() => clearTimeout(timer));
  };
};
