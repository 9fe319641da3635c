/** Databases of one test, and whatever else it opens: undone after it, the last one first. */
import { afterEach } from "vitest";
import { createDatabase } from "./database.js";

export interface OwnDatabases {
  /** Resolves to the address of a new one. */
  readonly freshDatabase: () => Promise<string>;
  readonly afterwards: (undo: () => Promise<void>) => void;
}

/** For the tests of the file that calls it. */
export const ownDatabases = (): OwnDatabases => {
  const undoes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const undo of undoes.splice(0).reverse()) await undo();
  });
  return {
    freshDatabase: async () => {
      const database = await createDatabase();
      undoes.push(() => database.drop());
      return database.url;
    },
    afterwards: (undo) => void undoes.push(undo),
  };
};
