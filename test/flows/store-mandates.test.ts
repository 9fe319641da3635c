/** A store's mandate, disabled through the front door: the flow asks the bank, the bank revokes it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  disableStoreMandateRoute,
  getStoreMandateRoute,
  putStoreMandateRoute,
} from "../../shared/contracts/stores/store-mandate.js";
import { createStoreRoute } from "../../shared/contracts/stores/stores.js";
import type { Database } from "../../shared/database/platform/database.js";
import { clientOf, openStackDatabase } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { someStore } from "../support/stores/store-fixtures.js";

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
