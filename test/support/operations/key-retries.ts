/** Many repeats of each idempotency key at once, by several processes of the platform. */
import { expect } from "vitest";
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import { openStore } from "../stores/store-fixtures.js";
import { openWallet } from "../wallet/wallet-fixtures.js";
import { wrongInBooks } from "./books.js";
import { commandsOn, freshKey } from "./commands.js";

const Made = z.object({ operations: z.bigint(), keys: z.bigint() });

export interface KeyRetries {
  readonly keys: number;
  readonly repeats: number;
  readonly atOnce: number;
  /** Told of each key that is done with. */
  readonly settled?: () => void;
}

/** Each key stands for one operation, and all its repeats hear the first answer word for word. */
export const retryKeys = async (
  databases: readonly Database[],
  { keys, repeats, atOnce, settled }: KeyRetries,
): Promise<void> => {
  const [database] = databases;
  if (database === undefined) throw new Error("no database");
  const { storeId } = await openStore(database);
  const processes = databases.map((each) => commandsOn(each));
  const { walletId } = await openWallet(database);
  const asked = { walletId, type: "LoyaltyDeposit", cents: 1_000n, storeId } as const;
  const due = Array.from({ length: keys }, () => freshKey());

  const retry = async (key: string): Promise<void> => {
    const heard = await Promise.all(
      Array.from({ length: repeats }, async (_, index) => {
        const process = processes[index % processes.length];
        for (;;) {
          const outcome = await process?.initialise({ ...asked, key });
          if (outcome?.ok === true) return outcome.value;
          expect(outcome).toMatchObject({ code: "IdempotencyKeyInUse" });
        }
      }),
    );
    expect(new Set(heard).size).toBe(1);
    const [first = ""] = heard;
    const { operationId } = z.looseObject({ operationId: z.string() }).parse(JSON.parse(first));
    // Whatever becomes of it: the key's answer stays, other bodies and wallets are refused.
    await processes[0]?.change("confirm", asked, operationId);
    const again = await Promise.all(processes.map((each) => each.initialise({ ...asked, key })));
    expect(again.map((outcome) => outcome.ok && outcome.value)).toEqual(again.map(() => first));
    const other = await Promise.all(
      processes.map((each) => each.initialise({ ...asked, cents: 1_001n, key })),
    );
    for (const outcome of other) expect(outcome).toMatchObject({ code: "IdempotencyKeyReused" });
  };

  const workers = Array.from({ length: atOnce }, async () => {
    for (let key = due.pop(); key !== undefined; key = due.pop()) {
      await retry(key);
      settled?.();
    }
  });
  await Promise.all(workers);
  expect(
    await database.rows(
      Made,
      `select count(*) as operations, count(distinct idempotency_key) as keys
       from borsello.operation where wallet_id = $1 and status = 'Confirmed'`,
      [walletId],
    ),
  ).toEqual([{ operations: BigInt(keys), keys: BigInt(keys) }]);
  expect(await wrongInBooks(database)).toEqual([]);
};
