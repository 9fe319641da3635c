/** Lets the host die at each durable write of one orchestration in turn, and judges what came of it. */
import { createDatabase } from "../database/database.js";
import { openFaultLoad, type Shape } from "./fault-load.js";

export const moments = ["before", "sent", "answered"] as const;

/** The first writes of a life are the host's own: it registers, buries its predecessor, takes over. */
const firstWrite = 3;
const writesMax = 40;

/** At each of its writes, or at one of so many. Resolves to how many there are; it survived them. */
export const sweepWrites = async (
  shape: Shape,
  moment: (typeof moments)[number],
  oneIn = 1,
): Promise<number> => {
  const database = await createDatabase();
  const load = await openFaultLoad(database.url);
  try {
    for (let write = firstWrite; write < writesMax; write += oneIn) {
      const struck = load.lives.struck;
      load.beginRound([shape]);
      await load.live({ atWrite: `${moment}:${write}` });
      await load.lives.start();
      await load.judge();
      await load.lives.stop();
      if (load.lives.struck === struck) return write - firstWrite;
    }
    throw new Error(`${shape} writes without end`);
  } finally {
    await load.stop();
    await database.drop();
  }
};
