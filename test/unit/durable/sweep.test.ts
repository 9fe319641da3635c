/** What nobody tells of is looked for until it is found, whatever comes between. */
import { expect, test } from "vitest";
import { Sweep } from "../../../local/durable/hosts/sweep.js";
import type { WorkPage } from "../../../local/durable/storage/instance-rows.js";

const nothing: WorkPage = { instances: [], next: undefined };
const work: WorkPage = { instances: [{ id: "flow", waiting: 1 }], next: undefined };

/** A sweep over a database that gives one answer after the other, and the ids that it has seen. */
const sweepOver = (...answers: ((sweep: Sweep) => WorkPage)[]) => {
  const seen: string[] = [];
  const sweep: Sweep = new Sweep(
    { withWork: async () => Promise.resolve((answers.shift() ?? (() => nothing))(sweep)) },
    { room: async () => undefined, seen: (id) => void seen.push(id) },
  );
  return { sweep, seen };
};

test("a look that an outage cuts short is made again", async () => {
  const cut = (): WorkPage => {
    throw Object.assign(new Error("terminating connection"), { code: "57P01" });
  };
  const { sweep, seen } = sweepOver(cut, () => work);
  await sweep.run();
  expect(seen).toEqual(["flow"]);
});

test("a look that is asked for while one is under way follows it", async () => {
  const { sweep, seen } = sweepOver(
    (underWay) => {
      void underWay.run();
      return nothing;
    },
    () => work,
  );
  await sweep.run();
  expect(seen).toEqual(["flow"]);
});

test("a look now and then does not follow one that is under way", async () => {
  const { sweep, seen } = sweepOver(
    (underWay) => {
      void underWay.runInTurn();
      return nothing;
    },
    () => work,
  );
  await sweep.run();
  expect(seen).toEqual([]);
});
