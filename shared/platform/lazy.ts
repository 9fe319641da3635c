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

/** One of each key, which are few: a page by its name, or what belongs to a process's services. */
export const lazyBy = <Key, Value>(
  make: (key: Key) => Promise<Value>,
): ((key: Key) => Promise<Value>) => {
  const all = new Map<Key, () => Promise<Value>>();
  return (key) => {
    const one = all.get(key) ?? lazy(() => make(key));
    all.set(key, one);
    return one();
  };
};
