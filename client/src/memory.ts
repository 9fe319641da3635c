/** The last so many ids, oldest forgotten first. */

export interface Memory {
  has(id: string): boolean;
  add(id: string): void;
}

export const memoryOf = (idsMax: number): Memory => {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > idsMax && oldest !== undefined) ids.delete(oldest);
    },
  };
};
