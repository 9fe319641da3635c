/** Requests to the bank and their outcomes on a real database: each once, in the bank's order. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import {
  latestMandateRequest,
  recordOutcome,
  requestBank,
} from "../../../shared/database/bank/requests.js";
import type { BankRequest } from "../../../shared/database/bank/requests.js";
import { openBankTest, outboxOf } from "../../support/wallet/bank-fixtures.js";
import type { BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const request = (): BankRequest & { mandateId: string; walletId: string } => {
  const mandateId = randomUUID();
  return {
    requestId: randomUUID(),
    kind: "mandateActivation",
    partnerKey: "acme",
    walletId: randomUUID(),
    mandateId,
    payload: { amount: 50, mandateId },
    notify: { instanceId: `mandate-${mandateId}`, event: "bankOutcome" },
  };
};

const outcome = (requestId: string, kind: BankOutcomeMessage["outcome"]): BankOutcomeMessage => ({
  requestId,
  outcome: kind,
  reasonCode: null,
  transactionReference: null,
  bookingDate: null,
});

test("a request is one row and one message, however often it is written", async () => {
  const wanted = request();
  const made = await Promise.all(
    Array.from({ length: 5 }, () => bank.database.transaction((tx) => requestBank(tx, wanted))),
  );
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await outboxOf(bank.database, wanted.walletId)).toMatchObject([
    {
      messageId: wanted.requestId,
      destinations: ["bank-requests"],
      body: { requestId: wanted.requestId, kind: "mandateActivation", amount: 50 },
    },
  ]);
});

test("an outcome names the flow to tell, again when it comes again", async () => {
  const wanted = request();
  await requestBank(bank.database, wanted);
  const told = { result: "recorded", ...wanted.notify };
  expect(await recordOutcome(bank.database, outcome(wanted.requestId, "accepted"))).toEqual(told);
  expect(await recordOutcome(bank.database, outcome(wanted.requestId, "accepted"))).toEqual(told);
  expect(await recordOutcome(bank.database, outcome(wanted.requestId, "booked"))).toEqual(told);
});

test("an outcome that arrives after a later one changes nothing", async () => {
  const wanted = request();
  await requestBank(bank.database, wanted);
  await recordOutcome(bank.database, outcome(wanted.requestId, "booked"));
  expect(await recordOutcome(bank.database, outcome(wanted.requestId, "accepted"))).toEqual({
    result: "late",
  });
  expect(
    await latestMandateRequest(bank.database, wanted.mandateId, "mandateActivation"),
  ).toMatchObject({ status: "Booked" });
});

test("a refusal keeps its reason code and cannot be taken back", async () => {
  const wanted = request();
  await requestBank(bank.database, wanted);
  await recordOutcome(bank.database, {
    ...outcome(wanted.requestId, "refused"),
    reasonCode: "MD01",
  });
  expect(await recordOutcome(bank.database, outcome(wanted.requestId, "booked"))).toEqual({
    result: "late",
  });
  expect(
    await latestMandateRequest(bank.database, wanted.mandateId, "mandateActivation"),
  ).toMatchObject({ status: "Refused", reasonCode: "MD01" });
});

test("an outcome of a request that was never made is told apart", async () => {
  expect(await recordOutcome(bank.database, outcome(randomUUID(), "accepted"))).toEqual({
    result: "unknownRequest",
  });
});
