/** Many operations by one call, all or none: such calls over the same wallets never end in a deadlock. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { runAsOne, type OperationCommand } from "../../../shared/database/operations/commands.js";
import { wrongInBooks } from "../../support/operations/books.js";
import { defaultLimits } from "../../support/operations/commands.js";
import { operationStates } from "../../support/operations/operation-states.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const confirmOf = (operationId: string): OperationCommand => ({
  ...{ kind: "confirm", partner_key: "acme", actor: "acme-client", limits: defaultLimits },
  operation_id: operationId,
});

test("two at once that name the same wallets in opposite orders are both done", async () => {
  const { database } = wallets;
  const states = operationStates(() => database);
  const walletIds = await Promise.all(Array.from({ length: 12 }, () => states.walletId()));
  const pending = (order: readonly string[]) =>
    Promise.all(order.map((walletId) => states.pending(walletId, "LoyaltyDeposit")));
  const forward = await pending(walletIds);
  const backward = (await pending(walletIds)).reverse();
  const done = await Promise.all(
    [forward, backward].map((ids) => runAsOne(database, ids.map(confirmOf))),
  );
  for (const outcome of done) expect(outcome).toMatchObject({ ok: true });
  // A deadlock is told after a second and tried again: it would be done, but late.
  expect(
    await database.rows(
      z.object({ deadlocks: z.bigint() }),
      "select deadlocks from pg_stat_database where datname = current_database()",
    ),
  ).toEqual([{ deadlocks: 0n }]);
  expect(await wrongInBooks(database)).toEqual([]);
});

test("the first refusal undoes what came before it", async () => {
  const { database } = wallets;
  const states = operationStates(() => database);
  const sound = await states.pending(await states.walletId(), "Payment");
  const ended = await states.changed(await states.walletId(), "Payment", "cancel");
  expect(await runAsOne(database, [sound, ended].map(confirmOf))).toMatchObject({
    code: "OperationStatusInvalid",
  });
  const Row = z.object({ status: z.string() });
  const text = "select status from borsello.operation where operation_id = $1";
  expect(await database.row(Row, text, [sound])).toEqual({ status: "Initialized" });
  expect(await wrongInBooks(database)).toEqual([]);
});
