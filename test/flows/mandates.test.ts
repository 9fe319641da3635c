/** Mandates against a bank that refuses, keeps silent and answers too late, through the front door. */
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptBankRoute } from "../../shared/contracts/sandbox/bank.js";
import type { Database } from "../../shared/database/platform/database.js";
import { clientOf, openStackDatabase } from "../support/platform/api.js";
import { instanceOf, partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { requestsFor, type AskedOfBank } from "../support/wallet/mandate-fixtures.js";

let stack: TestStack;
let acme: Partner;
let database: Database;
let bus: ServiceBusClient;
beforeAll(async () => {
  stack = await startTestStack();
  acme = partnerAt(stack, "acme");
  database = openStackDatabase(stack);
  bus = new ServiceBusClient(stack.brokerConnectionString);
});
afterAll(async () => {
  await bus.close();
  await database.close();
  await stack.stop();
});

const script = async (
  { person }: Owner,
  kind: AskedOfBank["kind"],
  outcome: "accepted" | "refused" | "silent",
  reasonCode = "MS03",
): Promise<void> => {
  const call = { body: { kind, iban: person.iban, outcome }, query: { reasonCode } };
  expect(await clientOf(stack, "acme").call(scriptBankRoute, call)).toMatchObject({ ok: true });
};

const asked = async (owner: Owner, kind: AskedOfBank["kind"]): Promise<AskedOfBank[]> => {
  const { mandateId } = await acme.mandate(owner);
  return (await requestsFor(database, mandateId)).filter((request) => request.kind === kind);
};

/** The bank's own word about a request, whenever it comes. */
const bankAnswers = async (requestId: string, outcome: string): Promise<void> => {
  const sender = bus.createSender("bank-outcomes");
  const body = { requestId, outcome };
  await sender.sendMessages({ body, contentType: "application/json", subject: "BankOutcome" });
  await sender.close();
};

test("a request that the bank accepts after it lapsed is revoked at once, and a person sees it", async () => {
  const owner = await acme.openValidatedWallet();
  await script(owner, "mandateActivation", "silent");
  await acme.initialiseMandate(owner, 20);
  const { activationRequestDate, mandateUniqueReference } = await acme.signMandate(owner);
  await acme.moveClock(activationRequestDate ?? "", 25);
  await acme.mandateBecomes(owner, "Draft");
  expect((await acme.mandate(owner)).mandateUniqueReference).not.toBe(mandateUniqueReference);

  const [lapsed] = await asked(owner, "mandateActivation");
  await bankAnswers(lapsed?.requestId ?? "", "accepted");
  await expect
    .poll(async () => (await acme.mandate(owner)).lastError)
    .toBe(`LateAcceptance: ${mandateUniqueReference}`);
  const revoked = [expect.objectContaining({ reference: mandateUniqueReference }) as AskedOfBank];
  expect(await asked(owner, "mandateRevocation")).toEqual(revoked);

  await script(owner, "mandateActivation", "accepted");
  await acme.signMandate(owner);
  await acme.mandateBecomes(owner, "Active");
  expect(await asked(owner, "mandateRevocation")).toEqual(revoked);
});

test("a revocation that the bank refuses is asked for anew until it is confirmed", async () => {
  const owner = await acme.openValidatedWallet();
  await acme.initialiseMandate(owner, 20);
  await acme.signMandate(owner);
  await acme.mandateBecomes(owner, "Active");
  await script(owner, "mandateRevocation", "refused", "AM05");
  const { disableRequestDate } = await acme.disableMandate(owner);
  const waits = async () => {
    const { mandateId } = await acme.mandate(owner);
    return (await instanceOf(stack, `mandate-${mandateId}`))?.customStatus;
  };
  await expect.poll(waits).toContain("asked again on");
  await script(owner, "mandateRevocation", "accepted");
  await expect
    .poll(async () => {
      const answered =
        "select 1 as one from borsello.bank_request where request_id = $1 and status = 'Refused'";
      const [request] = await asked(owner, "mandateRevocation");
      return database.execute(answered, [request?.requestId]);
    })
    .toBe(1);
  await acme.moveClock(disableRequestDate ?? "", 6);
  await acme.mandateBecomes(owner, "Disabled");
  expect(await asked(owner, "mandateRevocation")).toHaveLength(2);
});

test("what the bank does not know needs no revocation: a closed wallet's mandate is disabled", async () => {
  const owner = await acme.openValidatedWallet();
  await acme.initialiseMandate(owner, 20);
  await acme.signMandate(owner);
  await acme.mandateBecomes(owner, "Active");
  await script(owner, "mandateRevocation", "refused", "MD01");
  await acme.closeWallet(owner);
  await acme.mandateBecomes(owner, "Disabled");
  expect((await acme.mandate(owner)).lastError).toBeNull();
});
