/** A store's mandate on its way through the bank: asked for, answered, refused, never answered, deleted meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoreMandate } from "../../../shared/contracts/stores/store-mandates.js";
import { lapseUnusedMandates } from "../../../shared/database/mandates/outcomes.js";
import { dueFlows } from "../../../shared/database/onboarding/flow-state.js";
import { disableStoreMandate, findStoreMandate } from "../../../shared/database/stores/mandates.js";
import { romeDate } from "../../../shared/domain/bank/bank-days.js";
import { deleteStore } from "../../../shared/database/stores/deletion.js";
import {
  deleteStoreMandate,
  fillStoreMandate,
} from "../../../shared/database/stores/store-mandates.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  bankSays,
  creditor,
  lookAt,
  requestsFor,
  type AskedOfBank,
} from "../../support/wallet/mandate-fixtures.js";
import {
  openFilledMandate,
  readStoreMandate,
  runStoreMandates,
} from "../../support/stores/store-mandate-fixtures.js";
import {
  acme,
  auditOf,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let stores: WalletTest;
beforeAll(async () => {
  stores = await openWalletTest();
});
afterAll(() => stores.end());

const pass = (seconds: number) =>
  stores.database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    seconds * 1_000,
  ]);

const look = ({ storeMandateId }: StoreMandate) => lookAt(stores.database, storeMandateId);
const read = (mandate: StoreMandate) => readStoreMandate(stores.database, mandate);
const run = ({ storeMandateId }: StoreMandate) => runStoreMandates(stores.database, storeMandateId);
const asked = ({ storeMandateId }: StoreMandate): Promise<AskedOfBank[]> =>
  requestsFor(stores.database, storeMandateId);

const lastOf = async (mandate: StoreMandate, kind: AskedOfBank["kind"]): Promise<string> => {
  const found = (await asked(mandate)).findLast((request) => request.kind === kind);
  if (found === undefined) throw new Error(`the bank was asked for no ${kind}`);
  return found.requestId;
};

const says = async (
  mandate: StoreMandate,
  outcome: "accepted" | "refused",
  reasonCode: string | null = null,
  kind: AskedOfBank["kind"] = "mandateActivation",
): Promise<void> => {
  await bankSays(stores.database, await lastOf(mandate, kind), outcome, reasonCode);
  await look(mandate);
};

const openAsked = async (): Promise<StoreMandate> => {
  const mandate = await openFilledMandate(stores.database);
  await run(mandate);
  await look(mandate);
  return read(mandate);
};

const openActive = async (): Promise<StoreMandate> => {
  const mandate = await openAsked();
  await says(mandate, "accepted");
  return read(mandate);
};

/** As the partner's settings have it by default. */
const attemptsMax = 8;

describe("asking", () => {
  test("a run takes every mandate that is Filled to the bank, once, and says how many", async () => {
    const mandates = await Promise.all([1, 2, 3].map(() => openFilledMandate(stores.database)));
    const [first, ...more] = await Promise.all([1, 2].map(() => runStoreMandates(stores.database)));
    expect((first?.items ?? 0) + (more[0]?.items ?? 0)).toBe(3);
    for (const mandate of mandates)
      expect(await asked(mandate)).toMatchObject([
        { kind: "mandateActivation", reference: mandate.mandateUniqueReference, messages: 1 },
      ]);
    expect(await runStoreMandates(stores.database)).toMatchObject({
      status: "Completed",
      items: 0,
    });
  });

  test("the bank is told who owes and who collects, but neither amount nor frequency", async () => {
    const mandate = await openAsked();
    const { storeId, mandateUniqueReference, debtorName, debtorIban, fillDate } = mandate;
    const [message] = await outboxOf(stores.database, await lastOf(mandate, "mandateActivation"));
    expect(message?.body).toEqual({
      requestId: await lastOf(mandate, "mandateActivation"),
      kind: "mandateActivation",
      ...{ mandateUniqueReference, debtorName, debtorIban, sequenceType: "RCUR" },
      ...{ creditorIdentifier: creditor.identifier, creditorName: creditor.name },
      signatureDate: romeDate(new Date(fillDate ?? "")),
    });
    const current = await findStoreMandate(stores.database, storeId);
    expect(current?.activationRequestDate).not.toBeNull();
  });

  test("a mandate that waits for the bank is found by the sweep once its message is late", async () => {
    const { storeMandateId } = await openAsked();
    await pass(180);
    const due = await dueFlows(stores.database, null, 1_000);
    expect(due.map(({ mandateId }) => mandateId)).toContain(storeMandateId);
  });

  test("one that nobody filled is not asked for, and the run about it is Ignored", async () => {
    const mandate = await openFilledMandate(stores.database);
    await deleteStoreMandate(stores.database, acme, mandate.storeMandateId);
    expect(await run(mandate)).toMatchObject({ status: "Ignored", items: 0 });
    expect(await asked(mandate)).toEqual([]);
  });
});

describe("the bank answers", () => {
  test("accepted: Active, with nothing left to ask", async () => {
    const mandate = await openActive();
    expect(mandate).toMatchObject({ status: "Active", feedback: null, attempts: 0 });
    expect(mandate.activationDate).not.toBeNull();
    expect(await run(mandate)).toMatchObject({ status: "Ignored" });
    expect(
      (await auditOf(stores.database, mandate.storeMandateId)).map(({ action }) => action),
    ).toEqual(["initialise", "fill", "requestActivation", "activate"]);
  });

  test("refused: Filled with the bank's reason, asked again at its time by another request", async () => {
    const mandate = await openAsked();
    await says(mandate, "refused", "AC04");
    expect(await read(mandate)).toMatchObject({
      ...{ status: "Filled", feedback: "ActivationRefused: AC04", attempts: 1 },
    });
    await look(mandate);
    expect(await asked(mandate)).toHaveLength(1);
    await pass(5);
    await look(mandate);
    const [first, second, ...more] = await asked(mandate);
    expect(second?.requestId).not.toBe(first?.requestId);
    expect(more).toEqual([]);
    await says(mandate, "accepted");
    expect(await read(mandate)).toMatchObject({ status: "Active", feedback: null, attempts: 1 });
  });

  test("refused until its attempts are used up: Rejected, and nothing is asked any more", async () => {
    const mandate = await openAsked();
    for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
      await says(mandate, "refused", `MS0${attempt}`);
      expect(await run(mandate)).toMatchObject({ status: "Completed", items: 1 });
    }
    expect(await read(mandate)).toMatchObject({ status: "Filled", attempts: attemptsMax - 1 });
    await says(mandate, "refused", "MD07");
    expect(await read(mandate)).toMatchObject({
      ...{ status: "Rejected", feedback: "ActivationRefused: MD07", attempts: attemptsMax },
    });
    await pass(10 * 86_400);
    await look(mandate);
    expect(await run(mandate)).toMatchObject({ status: "Ignored" });
    expect(await asked(mandate)).toHaveLength(attemptsMax);
  });

  test("never: the same request is sent again, ever more slowly, and no attempt is used up", async () => {
    const mandate = await openAsked();
    for (const seconds of [10, 300, 1_800]) {
      await pass(seconds - 1);
      await look(mandate);
      await pass(1);
      await look(mandate);
    }
    const requests = await asked(mandate);
    expect(requests).toMatchObject([{ messages: 4 }]);
    expect(await read(mandate)).toMatchObject({
      ...{ status: "Filled", feedback: "BankSilent", attempts: 0 },
    });
    expect(await run(mandate)).toMatchObject({ items: 1 });
    await says(mandate, "accepted");
    expect(await read(mandate)).toMatchObject({ status: "Active", feedback: null });
  });

  test("a trigger does not ask again while the bank may still answer", async () => {
    const mandate = await openAsked();
    expect(await run(mandate)).toMatchObject({ status: "Ignored", items: 0 });
    expect(await asked(mandate)).toMatchObject([{ messages: 1 }]);
  });

  test.each(["before its time", "after the next request"])(
    "an acceptance that follows a refusal of the same request counts, %s",
    async (when) => {
      const mandate = await openAsked();
      const first = await lastOf(mandate, "mandateActivation");
      await says(mandate, "refused", "MS03");
      if (when === "after the next request") await run(mandate);
      await bankSays(stores.database, first, "accepted");
      await look(mandate);
      expect(await read(mandate)).toMatchObject({ status: "Active" });
      if (when === "after the next request") await says(mandate, "refused", "MD17");
      expect(await read(mandate)).toMatchObject({ status: "Active" });

      // What it then has to revoke is the reference that it accepted, whatever it refused later.
      made(await deleteStoreMandate(stores.database, acme, mandate.storeMandateId));
      await look(mandate);
      expect(await read(mandate)).toMatchObject({ status: "DisableRequested" });
      await says(mandate, "accepted", null, "mandateRevocation");
      expect(await read(mandate)).toMatchObject({ status: "Disabled" });
    },
  );

  test.each(["twice the same", "the contrary"])(
    "an active one stays so when the bank says %s",
    async (how) => {
      const mandate = await openActive();
      await says(mandate, how === "the contrary" ? "refused" : "accepted");
      expect(await read(mandate)).toEqual(mandate);
      expect(await asked(mandate)).toHaveLength(1);
    },
  );
});

describe("deleting", () => {
  const drop = async (mandate: StoreMandate): Promise<StoreMandate> =>
    made(await deleteStoreMandate(stores.database, acme, mandate.storeMandateId));

  test("what the bank was not asked for is Cancelled, and the bank hears nothing", async () => {
    const mandate = await openFilledMandate(stores.database);
    expect(await drop(mandate)).toMatchObject({ status: "Cancelled", disableRequestDate: null });
    expect(await asked(mandate)).toEqual([]);
  });

  test("what the bank has not answered yet is Cancelled and revoked", async () => {
    const mandate = await openAsked();
    expect(await drop(mandate)).toMatchObject({ status: "Cancelled" });
    expect(await asked(mandate)).toMatchObject([
      { kind: "mandateActivation" },
      { kind: "mandateRevocation", reference: mandate.mandateUniqueReference },
    ]);
    await says(mandate, "refused", "MD01", "mandateRevocation");
    // The bank did not know it: it accepts it only now.
    await says(mandate, "accepted");
    expect(await read(mandate)).toMatchObject({
      status: "Cancelled",
      feedback: `LateAcceptance: ${mandate.mandateUniqueReference}`,
    });
    expect((await asked(mandate)).map(({ kind }) => kind)).toEqual([
      ...["mandateActivation", "mandateRevocation", "mandateRevocation"],
    ]);
    await says(mandate, "accepted", null, "mandateRevocation");
    await pass(30 * 86_400);
    await look(mandate);
    expect(await asked(mandate)).toHaveLength(3);
    expect(await read(mandate)).toMatchObject({ status: "Cancelled" });
  });

  test("what the bank has accepted, and nobody has read yet, is Cancelled and revoked", async () => {
    const mandate = await openAsked();
    await bankSays(stores.database, await lastOf(mandate, "mandateActivation"), "accepted");
    expect(await drop(mandate)).toMatchObject({ status: "Cancelled" });
    await look(mandate);
    expect(await read(mandate)).toMatchObject({ status: "Cancelled" });
    expect((await asked(mandate)).at(-1)).toMatchObject({ kind: "mandateRevocation" });
  });

  test("what the bank has refused only is Cancelled, and nothing is revoked", async () => {
    const mandate = await openAsked();
    await says(mandate, "refused", "AC04");
    expect(await drop(mandate)).toMatchObject({ status: "Cancelled" });
    await pass(86_400);
    await look(mandate);
    expect(await asked(mandate)).toHaveLength(1);
  });

  test("a rejected one that the bank accepts after all is revoked, and stays Rejected", async () => {
    const mandate = await openAsked();
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      await says(mandate, "refused", "MS03");
      await run(mandate);
    }
    await says(mandate, "accepted");
    expect(await read(mandate)).toMatchObject({ status: "Rejected" });
    expect((await asked(mandate)).at(-1)).toMatchObject({ kind: "mandateRevocation", messages: 1 });
  });

  test.each(["delete", "disable", "the store's deletion"])(
    "an active one is revoked at the bank before it is Disabled, by %s",
    async (way) => {
      const mandate = await openActive();
      const { storeId } = mandate;
      if (way === "delete")
        expect(await drop(mandate)).toMatchObject({ status: "DisableRequested" });
      else if (way === "disable") made(await disableStoreMandate(stores.database, acme, storeId));
      else made(await deleteStore(stores.database, acme, { dealerKey: "dealer-rome", storeId }));
      await says(mandate, "refused", "MS03", "mandateRevocation");
      expect(await read(mandate)).toMatchObject({ status: "DisableRequested" });
      await pass(5 * 86_400);
      await look(mandate);
      expect(await asked(mandate)).toHaveLength(3);
      await says(mandate, "accepted", null, "mandateRevocation");
      const over = await read(mandate);
      expect(over).toMatchObject({ status: "Disabled" });
      expect([over.disableRequestDate, over.disabledDate]).not.toContain(null);
    },
  );
});

test("a fill answers what the bank was asked for as it stands", async () => {
  const mandate = await openAsked();
  const other = { ...creditor, name: "Another" };
  const again = await fillStoreMandate(stores.database, acme, mandate.storeMandateId, other);
  expect(made(again)).toEqual(mandate);
});

test("one that is not used for thirty-six months is Disabled, and the bank is told", async () => {
  const [unused, used] = [await openActive(), await openActive()];
  await pass(1_000 * 86_400);
  await stores.database.execute(
    "update borsello.mandate set last_deposit_requested_date = borsello.platform_now() where mandate_id = $1",
    [used.storeMandateId],
  );
  await pass(100 * 86_400);
  expect(await lapseUnusedMandates(stores.database, 100)).toBeGreaterThan(0);
  expect(await read(unused)).toMatchObject({ status: "Disabled", feedback: "MandateLapsed" });
  expect((await asked(unused)).at(-1)).toMatchObject({ kind: "mandateRevocation", messages: 1 });
  expect(await read(used)).toMatchObject({ status: "Active" });
});
