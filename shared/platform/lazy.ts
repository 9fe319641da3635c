/** Something made when it is first asked for, and kept; who fails to make it is asked again. */

/** Callers at the same time share one making; its error goes to all of them and is then forgotten. */
export const lazy = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
};
