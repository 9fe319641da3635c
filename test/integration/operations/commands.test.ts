/** Each command in each of the 23 states: its answer, and that nothing moves where it is refused. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  families,
  operationStatuses,
  type FamilyType,
} from "../../../shared/domain/operations/families.js";
import { commandsOn, type Change } from "../../support/operations/commands.js";
import { operationStates } from "../../support/operations/operation-states.js";
import {
  acme,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const types = Object.keys(families) as FamilyType[];
const beforeMoney: readonly string[] = ["Initialized", "Cancelled", "Expired"];
const refused = "OperationStatusInvalid";

/** The status after it, or the refusal. */
const expected = (change: Change, status: string, isOperator = false): string => {
  if (change === "confirm") {
    if (status === "Initialized") return "Confirmed";
    if (status === "Expired") return "OperationExpired";
    return beforeMoney.includes(status) || status === "Terminated" ? refused : status;
  }
  if (change === "cancel")
    return status === "Initialized" || status === "Cancelled" ? "Cancelled" : refused;
  if (["Initialized", "Confirmed", "Terminated"].includes(status)) return "Terminated";
  return status === "TransferFailed" && isOperator ? "Terminated" : refused;
};

const Found = z.object({ state: z.string() });

/** Whatever a command could change. */
const stateOf = (walletId: string) =>
  wallets.database.row(
    Found,
    `select concat_ws(' ', (select json_agg(o order by operation_id)
         from borsello.operation as o where wallet_id = $1),
       (select json_agg(b order by bucket_id) from borsello.bucket as b where wallet_id = $1),
       (select count(*) from borsello.entry), (select count(*) from borsello.outbox),
       (select count(*) from borsello.audit)) as state`,
    [walletId],
  );

describe.each(types)("%s", (type) => {
  test.each(operationStatuses)("%s", async (status) => {
    const { database } = wallets;
    const states = operationStates(() => database);
    const walletId = await states.walletId();
    for (const isOperator of [false, true])
      for (const change of isOperator
        ? (["terminate"] as const)
        : (["confirm", "cancel", "terminate"] as const)) {
        const hadMoney = !beforeMoney.includes(status);
        const operationId = hadMoney
          ? await states.changed(walletId, type, "confirm")
          : await states.pending(walletId, type);
        await states.set(operationId, `status = '${status}'`);
        const before = await stateOf(walletId);
        const commands = commandsOn(database, acme, isOperator);
        const due = expected(change, status, isOperator);
        const outcome = await commands.change(change, { walletId, type }, operationId);
        const Record = z.looseObject({ status: z.string() });
        const answer = outcome.ok ? Record.parse(JSON.parse(outcome.value)).status : outcome.code;
        expect([change, answer]).toEqual([change, due]);
        if (!outcome.ok || due === status) expect(await stateOf(walletId)).toEqual(before);
        const again = await commands.change(change, { walletId, type }, operationId);
        if (outcome.ok) expect(made(again)).toBe(outcome.value);
      }
  });
});

test("no field of an event is told twice", async () => {
  const { database } = wallets;
  const states = operationStates(() => database);
  for (const change of ["confirm", "cancel", "terminate"] as const)
    await states.changed(await states.walletId(), "Payment", change);
  const told = await database.rows(
    z.object({ subject: z.string(), field: z.string(), times: z.bigint() }),
    `select subject, field, count(*) as times
     from borsello.outbox, json_object_keys(body) as field
     where 'acme' = any(destinations)
     group by message_id, subject, field having count(*) > 1`,
  );
  expect(told).toEqual([]);
});

test("an end without confirmation tells the one date of its end", async () => {
  const { database } = wallets;
  const states = operationStates(() => database);
  const Event = z.object({
    cancellationDate: z.string().nullable(),
    expiryDate: z.string().nullable(),
    terminationDate: z.string().nullable(),
  });
  const endOf = async (operationId: string) => {
    const rows = await database.rows(
      z.object({ body: Event }),
      `select body from borsello.outbox
       where subject = 'OperationCancelled' and body ->> 'operationId' = $1`,
      [operationId],
    );
    return rows.map(({ body }) =>
      Object.entries(body).flatMap(([name, date]) => (date === null ? [] : [name])),
    );
  };
  const walletId = await states.walletId();
  expect(await endOf(await states.changed(walletId, "CashDeposit", "cancel"))).toEqual([
    ["cancellationDate"],
  ]);
  expect(await endOf(await states.changed(walletId, "CashDeposit", "terminate"))).toEqual([
    ["terminationDate"],
  ]);
  const late = await states.pending(walletId, "CashDeposit");
  await states.set(late, "expiry_date = borsello.platform_now() - interval '1 second'");
  const confirmed = await commandsOn(database).change(
    "confirm",
    { walletId, type: "CashDeposit" },
    late,
  );
  expect(confirmed).toMatchObject({ code: "OperationExpired" });
  expect(await endOf(late)).toEqual([["expiryDate"]]);
});

test("a group's confirmation is told before its members'", async () => {
  const { database } = wallets;
  const states = operationStates(() => database);
  const walletId = await states.walletId();
  const operationGroupId = await states.group(walletId);
  await states.pending(walletId, "Payment", { operationGroupId });
  await states.confirmGroup(walletId, operationGroupId);
  const told = await database.rows(
    z.object({ subject: z.string() }),
    `select subject from borsello.outbox
     where session_id = $1 and (body ->> 'operationGroupId' = $2 or subject = 'TransactionConfirmed')
     order by outbox_id desc limit 3`,
    [walletId, operationGroupId],
  );
  expect(told.map(({ subject }) => subject).reverse()).toEqual([
    "OperationGroupConfirmed",
    "OperationConfirmed",
    "TransactionConfirmed",
  ]);
});
