/** Card payments through the O2I contract: paid once, declined by code, never an error of the network's. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import { listOperationsRoute } from "../../shared/contracts/operations/lists.js";
import { executeO2iPaymentRoute } from "../../shared/contracts/operations/o2i.js";
import type { Database } from "../../shared/database/platform/database.js";
import { responseCodeOf, whyNotPaid } from "../../shared/domain/operations/o2i.js";
import type { Client } from "../../shared/http/client.js";
import {
  cardPayment as request,
  type CardPayment as Body,
} from "../support/operations/card-payments.js";
import { clientOf, openStackDatabase, valueOf } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { creditWallet } from "../support/wallet/funds.js";
import { openWallet } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let acme: Client;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = clientOf(stack, "acme");
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const pay = async (body: Body) => valueOf(await acme.call(executeO2iPaymentRoute, { body }));

const balanceOf = async (walletId: string): Promise<number> =>
  valueOf(await acme.call(getWalletBalanceRoute, { params: { walletId } })).availableBalance;

test("a payment is made once, however often and at once it is asked for", async () => {
  const { walletId } = await openWallet(database);
  await creditWallet(database, walletId, 10_000n);
  const body = request(walletId, { tags: { card: "1" } });
  const answers = await Promise.all(Array.from({ length: 12 }, () => pay(body)));
  const { transactionId } = body;
  for (const answer of answers)
    expect(answer).toEqual({
      ...{ transactionId, responseCode: "00", availableBalance: 70, accountCurrency: 978 },
    });
  await pay(request(walletId, { billingAmount: 20 }));
  const late = await pay({ ...body, processDateTime: "2026-11-22T06:00:00Z" });
  expect(late).toEqual(answers[0]);
  expect(await balanceOf(walletId)).toBe(50);
  const params = { walletId };
  const query = { type: "Payment" } as const;
  const { items } = valueOf(await acme.call(listOperationsRoute, { params, query }));
  expect(items).toHaveLength(2);
  expect(items[0]).toMatchObject({
    ...{ status: "Confirmed", storeId: null, tags: { card: "1" }, fundsType: "Standard" },
    ...{ amount: 30, metadata: { o2i: { transactionId, merchantName: "Bottega" } } },
  });
});

test("a decline is an answer with its code, moves nothing and stays declined", async () => {
  const { walletId } = await openWallet(database);
  await creditWallet(database, walletId, 2_000n);
  const codes: [Partial<Body>, string][] = [
    [{ billingAmount: 20.01 }, "51"],
    [{ billingAmount: 5_000 }, "61"],
    [{ billingAmount: 1.001 }, "13"],
    [{ type: 20 }, "12"],
    [{ type: null }, "12"],
    [{ billingCurrency: 840 }, "12"],
    [{ responseCode: "51" }, "05"],
  ];
  for (const [changes, responseCode] of codes)
    expect(await pay(request(walletId, changes))).toMatchObject({
      ...{ responseCode, availableBalance: 20, accountCurrency: 978 },
    });
  const declined = request(walletId);
  expect(await pay(declined)).toMatchObject({ responseCode: "51" });
  await creditWallet(database, walletId, 5_000n);
  expect(await pay(declined)).toMatchObject({ responseCode: "51", availableBalance: 20 });
  expect(await pay({ ...declined, billingAmount: 31 })).toMatchObject({ responseCode: "94" });
  expect(await balanceOf(walletId)).toBe(70);
  for (const [status, responseCode] of [
    ["Suspended", "62"],
    ["Closed", "14"],
  ]) {
    await database.execute("update borsello.wallet set status = $2 where wallet_id = $1", [
      walletId,
      status,
    ]);
    expect(await pay(request(walletId))).toMatchObject({ responseCode });
  }
});

test("a wallet that is unknown or another partner's is no decline, and no identifier no payment", async () => {
  const { walletId } = await openWallet(database);
  const globex = clientOf(stack, "globex");
  expect(await globex.call(executeO2iPaymentRoute, { body: request(walletId) })).toMatchObject({
    status: 403,
    error: { errorCode: "WalletOfAnotherPartner" },
  });
  const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
  expect(await acme.call(executeO2iPaymentRoute, { body: request(nobody) })).toMatchObject({
    ...{ status: 404, error: { errorCode: "WalletNotFound" } },
  });
  expect(
    await acme.call(executeO2iPaymentRoute, { body: request(walletId, { transactionId: "" }) }),
  ).toMatchObject({ status: 422 });
});

test("every refusal has a code, and what is unknown is not honoured", () => {
  expect(responseCodeOf(null, null)).toBe("00");
  expect(responseCodeOf("LimitExceeded", "minimum")).toBe("13");
  expect(responseCodeOf("LimitExceeded", "maximum")).toBe("61");
  expect(responseCodeOf("SomethingElse", null)).toBe("05");
  const plain = { type: 1, transactionCurrency: null, billingCurrency: null, responseCode: "00" };
  expect(whyNotPaid(plain)).toBeNull();
});
