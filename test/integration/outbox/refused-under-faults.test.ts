/** Relays that die, are cut off or cancelled beside a refused message: nothing is lost, nothing passes it. */
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ServiceBus } from "../../../shared/events/service-bus.js";
import type { FaultPoints } from "../../../shared/platform/fault-points.js";
import {
  names,
  openRefusingBroker,
  type RefusingBroker,
} from "../../support/events/refusing-broker.js";
import { countOf, openBankTest } from "../../support/wallet/bank-fixtures.js";

let broker: RefusingBroker;
beforeAll(async () => {
  broker = await openRefusingBroker();
});
afterEach(() => broker.reset());
afterAll(() => broker.end());

test.each(["relay.beforeSend", "relay.afterSend", "relay.afterMark"])(
  "two relays of which one dies at %s never let a later message pass its refused one",
  async (point) => {
    broker.refuse("acme", "sick:2", "ill:1");
    const other = await openBankTest(broker.url);
    onTestFinished(() => other.end());
    let deaths = 4;
    const dying: FaultPoints = {
      hit: (reached) => {
        if (reached === point && deaths-- > 0) throw new Error("died");
      },
    };
    const relays = [
      broker.startRelay({ faults: dying }),
      broker.startRelay({ database: other.database }),
    ];
    const sweep = async () => {
      await Promise.all(relays.map((relay) => relay.sweep()));
      return broker.waiting();
    };
    for (let number = 1; number <= 6; number += 1) {
      for (const wallet of ["sick", "ill", "well"]) await broker.publish(wallet, number);
      await sweep();
    }
    await expect.poll(sweep).toBe(11);
    const firstOf = (wallet: string) => [...new Set(broker.takenOf(wallet, "acme"))];
    expect(["sick", "ill"].flatMap(firstOf)).toEqual(names("sick", 1));
    expect(firstOf("well")).toEqual(names("well", 1, 2, 3, 4, 5, 6));
    broker.refuse("acme");
    await expect
      .poll(async () => {
        await broker.endWaits();
        return sweep();
      })
      .toBe(0);
    for (const wallet of ["sick", "ill"])
      expect(firstOf(wallet)).toEqual(names(wallet, 1, 2, 3, 4, 5, 6));
  },
);

/** The relay's statement waits for a lock until it is cancelled, as one is that takes too long. */
const cancelNextUpdate = async (): Promise<void> => {
  const blocking = broker.database.quietTransaction(async (tx) => {
    await tx.execute("lock table borsello.outbox in exclusive mode");
    await expect
      .poll(() =>
        countOf(
          broker.database,
          `select count(*) from (
             select pg_cancel_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock') as cancelled`,
        ),
      )
      .toBeGreaterThan(0);
  });
  await expect
    .poll(() =>
      countOf(
        broker.database,
        "select count(*) from pg_locks where mode = 'ExclusiveLock' and relation = 'borsello.outbox'::regclass and granted",
      ),
    )
    .toBe(1);
  blocked = blocking;
};
let blocked: Promise<void> = Promise.resolve();

const cutConnections = () =>
  broker.database.execute(
    `select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
     where locktype = 'advisory' and datname = current_database()`,
  );

test.each([
  ["loses its connection", cutConnections],
  ["has its statement cancelled", cancelNextUpdate],
])("a relay that %s after sending sends again, in order, and loses nothing", async (_, disturb) => {
  broker.refuse("acme", "sick:2");
  await broker.publish("sick", 1, 2, 3);
  await broker.publish("well", 1, 2, 3);
  let disturbances = 1;
  const disturbing: Pick<ServiceBus, "send"> = {
    send: async (destination, messages) => {
      const result = await broker.bus.send(destination, messages);
      if (destination === "platform-events" && disturbances-- > 0) await disturb();
      return result;
    },
  };
  const relay = broker.startRelay({ bus: disturbing });
  await relay.sweep();
  await blocked;
  await expect.poll(() => broker.waiting()).toBe(2);
  expect([...new Set(broker.taken("acme"))].sort()).toEqual([
    ...names("sick", 1),
    ...names("well", 1, 2, 3),
  ]);
  expect(broker.taken("platform-events")).toHaveLength(12);
  broker.refuse("acme");
  await broker.endWaits();
  await expect
    .poll(async () => {
      await relay.sweep();
      return broker.waiting();
    })
    .toBe(0);
  for (const wallet of ["sick", "well"])
    expect([...new Set(broker.takenOf(wallet, "acme"))]).toEqual(names(wallet, 1, 2, 3));
});
