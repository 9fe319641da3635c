/** Store mandates through the front door: the flow asks the bank, which accepts, refuses, is silent and revokes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  disableStoreMandateRoute,
  getStoreMandateRoute,
  putStoreMandateRoute,
} from "../../shared/contracts/stores/store-mandate.js";
import {
  createStoreMandateRoute,
  deleteStoreMandateRoute,
  fillStoreMandateRoute,
  getStoreMandateByIdRoute,
  type StoreMandate,
} from "../../shared/contracts/stores/store-mandates.js";
import { createStoreRoute } from "../../shared/contracts/stores/stores.js";
import { scriptBankRoute } from "../../shared/contracts/sandbox/bank.js";
import { moveClockRoute } from "../../shared/contracts/sandbox/clock.js";
import {
  getFlowRunRoute,
  triggerStoreMandatesRoute,
} from "../../shared/contracts/settlement/flows.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import type { Database } from "../../shared/database/platform/database.js";
import { clientOf, openStackDatabase, valueOf } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { someStore } from "../support/stores/store-fixtures.js";
import { someone } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

test("an active mandate of a store is revoked by the bank once it is disabled", async () => {
  const acme = clientOf(stack, "acme");
  const dealerKey = "dealer-rome";
  const created = await acme.call(createStoreRoute, { params: { dealerKey }, body: someStore() });
  if (!created.ok) throw new Error(created.error.errorCode);
  const { storeId } = created.value;
  const params = { dealerKey, storeId };
  expect(await acme.call(putStoreMandateRoute, { params })).toMatchObject({ ok: true });
  await database.execute("update borsello.mandate set status = 'Active' where store_id = $1", [
    storeId,
  ]);

  expect(await acme.call(disableStoreMandateRoute, { params: { storeId } })).toMatchObject({
    ok: true,
    value: { status: "DisableRequested" },
  });
  await expect
    .poll(() => acme.call(getStoreMandateRoute, { params }))
    .toMatchObject({ ok: true, value: { status: "Disabled" } });
});

/** A store's mandate that is Filled, of an account that the sandbox bank answers so about. */
const openFilled = async (outcome: "accepted" | "refused" | "silent") => {
  const acme = clientOf(stack, "acme");
  const { iban: ownerIban } = someone();
  const body = { kind: "mandateActivation", iban: ownerIban, outcome } as const;
  valueOf(await acme.call(scriptBankRoute, { body }));
  const dealer = { params: { dealerKey: "dealer-milan" } };
  const { storeId } = valueOf(
    await acme.call(createStoreRoute, { ...dealer, body: someStore({ ownerIban }) }),
  );
  const created = { body: { storeId, mandateUniqueReference: `ACME ${ownerIban}` } };
  const { storeMandateId } = valueOf(await acme.call(createStoreMandateRoute, created));
  const params = { storeMandateId };
  valueOf(await acme.call(fillStoreMandateRoute, { params }));
  return {
    ...{ storeMandateId, ownerIban },
    becomes: async (expected: Partial<StoreMandate>): Promise<void> => {
      await expect
        .poll(async () => valueOf(await acme.call(getStoreMandateByIdRoute, { params })))
        .toMatchObject(expected);
    },
  };
};

test("a run asks for all that are Filled; refused and silent ones go on when they are triggered", async () => {
  const acme = clientOf(stack, "acme");
  const outcomes = ["accepted", "refused", "silent"] as const;
  const [accepted, refused, silent] = await Promise.all(outcomes.map(openFilled));
  const run = valueOf(await acme.call(triggerStoreMandatesRoute, {}));
  const read = async () =>
    valueOf(await acme.call(getFlowRunRoute, { params: { runId: run.runId } }));
  await expect.poll(read).toMatchObject({ flow: "StoreMandates", status: "Completed", items: 3 });
  await accepted?.becomes({ status: "Active", feedback: null, attempts: 0 });
  await refused?.becomes({ status: "Filled", feedback: "ActivationRefused: MS03", attempts: 1 });
  await silent?.becomes({ status: "Filled", feedback: null, attempts: 0 });

  for (const found of [refused, silent]) {
    const body = { kind: "mandateActivation", iban: found?.ownerIban ?? null } as const;
    valueOf(await acme.call(scriptBankRoute, { body: { ...body, outcome: "accepted" } }));
    const storeMandateId = found?.storeMandateId ?? "";
    valueOf(await acme.call(triggerStoreMandatesRoute, { query: { storeMandateId } }));
  }
  await refused?.becomes({ status: "Active", feedback: null });
  // The bank still has its time to answer: the flow asks again once that is over.
  const now = new Date(Date.parse(await platformNow(database)) + 11_000).toISOString();
  valueOf(await acme.call(moveClockRoute, { body: { now } }));
  await silent?.becomes({ status: "Active", feedback: null, attempts: 0 });
  const params = { storeMandateId: silent?.storeMandateId ?? "" };
  valueOf(await acme.call(deleteStoreMandateRoute, { params }));
  await silent?.becomes({ status: "Disabled" });
});

test("the timer asks for what nobody triggered", async () => {
  const mandate = await openFilled("accepted");
  const now = new Date(Date.parse(await platformNow(database)) + 15 * 60_000).toISOString();
  valueOf(await clientOf(stack, "acme").call(moveClockRoute, { body: { now } }));
  await mandate.becomes({ status: "Active" });
});
