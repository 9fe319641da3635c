/** A mandate's states on a real database: every transition, its guard, its message, done once. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  mandateStatuses,
  type MandateStatus,
} from "../../../shared/contracts/mandates/mandates.js";
import {
  activateMandate,
  lapseMandate,
  lapseUnusedMandates,
  rejectMandate,
  requestActivation,
} from "../../../shared/database/mandates/outcomes.js";
import { requestDisable } from "../../../shared/database/mandates/disabling.js";
import { findMandate, initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import { fillMandate, requestMandateSignature } from "../../../shared/database/mandates/signing.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { Actor } from "../../../shared/database/access/wallet-access.js";
import { addBankDays, isBankDay, romeDate } from "../../../shared/domain/bank/bank-days.js";
import { creditor, requestsFor } from "../../support/wallet/mandate-fixtures.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const weekly = { amountCents: 10_050n, frequency: "Weekly" } as const;

const openMandate = async () => {
  const wallet = await openValidatedWallet(wallets.database);
  const mandate = made(await initialiseMandate(wallets.database, acme, wallet.walletId, weekly));
  return { wallet, mandate, mandateId: mandate.mandateId, walletId: wallet.walletId };
};

const openMandateIn = async (status: MandateStatus) => {
  const opened = await openMandate();
  await wallets.database.execute("update borsello.mandate set status = $2 where mandate_id = $1", [
    opened.mandateId,
    status,
  ]);
  return opened;
};

const lastMessage = async (walletId: string) => (await outboxOf(wallets.database, walletId)).at(-1);

const present = async (mandateId: string) => {
  const found = await findMandate(wallets.database, mandateId);
  if (found === undefined) throw new Error("the mandate is gone");
  return found;
};

describe("initialising", () => {
  test("a mandate starts as a draft with the wallet's name and IBAN and a reference of its own", async () => {
    const { wallet, mandate } = await openMandate();
    expect(mandate).toMatchObject({
      walletId: wallet.walletId,
      status: "Draft",
      amount: 100.5,
      frequency: "Weekly",
      debtorName: `${wallet.firstName} ${wallet.lastName}`,
      debtorIban: wallet.iban,
      storeId: null,
      fillDate: null,
      nextDepositDate: null,
      lastError: null,
    });
    expect(mandate.mandateUniqueReference).toMatch(/^BRS[0-9A-F]{32}$/);
    expect(await lastMessage(wallet.walletId)).toMatchObject({
      subject: "MandateInitialised",
      body: { walletId: wallet.walletId, partnerKey: "acme", mandateId: mandate.mandateId },
    });
  });

  test("of ten mandates initialised at once for one wallet one is made", async () => {
    const { walletId } = await openValidatedWallet(wallets.database);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => initialiseMandate(wallets.database, acme, walletId, weekly)),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toEqual({
      ok: false,
      code: "MandateAlreadyPresent",
      properties: { mandateStatus: "Draft" },
    });
  });

  test("without a validated IBAN, or on a wallet that is not active, there is no mandate", async () => {
    const { walletId } = await openWallet(wallets.database);
    const start = () => initialiseMandate(wallets.database, acme, walletId, weekly);
    expect(await start()).toMatchObject({ code: "IbanNotValidated" });
    await wallets.database.execute(
      "update borsello.wallet set status = 'Suspended' where wallet_id = $1",
      [walletId],
    );
    expect(await start()).toEqual({
      ok: false,
      code: "WalletNotActive",
      properties: { status: "Suspended" },
    });
  });
});

const fill = (database: Database, actor: Actor, walletId: string) =>
  fillMandate(database, actor, walletId, creditor);

describe("on the partner's word", () => {
  const commands = {
    fill: {
      run: fill,
      to: { Draft: "Filled", Filled: "Filled" },
      message: undefined,
    },
    sign: {
      run: requestMandateSignature,
      to: { Filled: "Filled" },
      message: "MandateSigned",
    },
    disable: {
      run: requestDisable,
      to: {
        Draft: "Cancelled",
        Filled: "Cancelled",
        ActivationRequested: "DisableRequested",
        Active: "DisableRequested",
      },
      message: undefined,
    },
  } as const;
  const cases = Object.entries(commands).flatMap(([name, { run, to, message }]) =>
    mandateStatuses.map((from) => {
      const target = (to as Partial<Record<MandateStatus, MandateStatus>>)[from];
      return { name, from, to: target, end: target ?? "refused", run, message };
    }),
  );

  test.each(cases)("$name: $from → $end", async ({ from, to, run, message }) => {
    const { walletId, mandateId } = await openMandateIn(from);
    const before = await outboxOf(wallets.database, walletId);
    const outcome = await run(wallets.database, acme, walletId);
    if (to === undefined) {
      expect(outcome).toEqual({
        ok: false,
        code: "MandateStatusInvalid",
        properties: { mandateStatus: from },
      });
      expect(await outboxOf(wallets.database, walletId)).toEqual(before);
    } else {
      expect(outcome).toMatchObject({ ok: true, value: { mandate: { status: to } } });
      if (message !== undefined)
        expect(await lastMessage(walletId)).toMatchObject({
          subject: message,
          body: { mandateId },
        });
    }
  });

  test("disabling says which way it went: cancelled at once, or for the bank to confirm", async () => {
    const draft = await openMandate();
    made(await requestDisable(wallets.database, acme, draft.walletId));
    expect(await lastMessage(draft.walletId)).toMatchObject({
      subject: "MandateSettled",
      body: { mandateId: draft.mandateId, status: "Cancelled" },
    });
    const active = await openMandateIn("Active");
    made(await requestDisable(wallets.database, acme, active.walletId));
    expect(await lastMessage(active.walletId)).toMatchObject({
      subject: "MandateDisableRequested",
      body: { mandateId: active.mandateId },
    });
  });

  test("a wallet without a mandate has none to fill, sign or disable", async () => {
    const { walletId } = await openWallet(wallets.database);
    for (const { run } of Object.values(commands))
      expect(await run(wallets.database, acme, walletId)).toMatchObject({
        code: "MandateNotFound",
      });
  });

  test.each(["Suspended", "Closed"])(
    "a wallet that is %s neither fills nor signs, and disables all the same",
    async (status) => {
      const { walletId } = await openMandateIn("Filled");
      await wallets.database.execute(
        "update borsello.wallet set status = $2 where wallet_id = $1",
        [walletId, status],
      );
      const refused = { ok: false, code: "WalletNotActive", properties: { status } };
      expect(await fill(wallets.database, acme, walletId)).toEqual(refused);
      expect(await requestMandateSignature(wallets.database, acme, walletId)).toEqual(refused);
      expect(await requestDisable(wallets.database, acme, walletId)).toMatchObject({
        value: { mandate: { status: "Cancelled" } },
      });
    },
  );

  test("what is being signed stays as it was filled", async () => {
    const { walletId } = await openMandate();
    const filled = made(await fill(wallets.database, acme, walletId));
    made(await requestMandateSignature(wallets.database, acme, walletId));
    await wallets.database.execute(
      "update borsello.wallet set city = 'Lecce' where wallet_id = $1",
      [walletId],
    );
    const again = made(await fill(wallets.database, acme, walletId));
    expect(again.mandate).toEqual(filled.mandate);
  });

  test("asking for the signature again is the same signature, after a lapse it is another", async () => {
    const { walletId, mandateId } = await openMandateIn("Filled");
    const sign = async () => made(await requestMandateSignature(wallets.database, acme, walletId));
    expect((await sign()).signAttempt).toBe(1);
    expect((await sign()).signAttempt).toBe(1);
    await requestActivation(wallets.database, mandateId, "mandate/1");
    expect(await lapseMandate(wallets.database, mandateId)).toBe(true);
    made(await fill(wallets.database, acme, walletId));
    expect((await sign()).signAttempt).toBe(2);
  });
});

const BankRequest = z.object({
  kind: z.string(),
  instance: z.string(),
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
});

describe("by its flow", () => {
  test("requesting activation twice asks the bank once, with all that the scheme wants", async () => {
    const { walletId, mandateId, mandate, wallet } = await openMandate();
    made(await fill(wallets.database, acme, walletId));
    made(await requestMandateSignature(wallets.database, acme, walletId));
    expect(await requestActivation(wallets.database, mandateId, "mandate/x/1")).toBe(true);
    expect(await requestActivation(wallets.database, mandateId, "mandate/x/2")).toBe(false);

    const { mandate: now, documentKey } = await present(mandateId);
    expect(now).toMatchObject({ status: "ActivationRequested" });
    expect(now.activationRequestDate).not.toBeNull();
    expect(documentKey).toBe("mandate/x/1");
    const requests = await wallets.database.rows(
      BankRequest,
      `select kind, notify_instance_id as instance, notify_event as event, payload
       from borsello.bank_request where mandate_id = $1`,
      [mandateId],
    );
    expect(requests).toEqual([
      {
        kind: "mandateActivation",
        instance: `mandate-${mandateId}`,
        event: "bankOutcome",
        payload: {
          mandateUniqueReference: mandate.mandateUniqueReference,
          creditorIdentifier: creditor.identifier,
          creditorName: creditor.name,
          debtorName: mandate.debtorName,
          debtorIban: mandate.debtorIban,
          debtorTaxId: wallet.taxId,
          amount: 100.5,
          frequency: "Weekly",
          sequenceType: "RCUR",
          signatureDate: (await present(mandateId)).terms.signatureDate,
        },
      },
    ]);
    expect(await lastMessage(walletId)).toMatchObject({ destinations: ["bank-requests"] });
  });

  const settlements = [
    ["activate", activateMandate, "ActivationRequested", "Active"],
    ["lapse", lapseMandate, "ActivationRequested", "Draft"],
    [
      "reject",
      (database: WalletTest["database"], mandateId: string) =>
        rejectMandate(database, mandateId, "MD01"),
      "ActivationRequested",
      "Rejected",
    ],
  ] as const;

  test.each(settlements)("%s settles once", async (_name, settle, from, to) => {
    const { walletId, mandateId } = await openMandateIn(from);
    expect(await settle(wallets.database, mandateId)).toBe(true);
    const settled = (await present(mandateId)).mandate;
    expect(settled.status).toBe(to);
    const messages = await outboxOf(wallets.database, walletId);
    expect(messages.at(-1)).toMatchObject({
      subject: "MandateSettled",
      body: { mandateId, status: to },
    });

    expect(await settle(wallets.database, mandateId)).toBe(false);
    expect((await present(mandateId)).mandate).toEqual(settled);
    expect(await outboxOf(wallets.database, walletId)).toHaveLength(messages.length);
  });

  test.each([0, 5, 14, 36])(
    "the first collection leaves %i days to announce it, and settles a bank day later",
    async (preNotificationDays) => {
      const { walletId, mandateId } = await openMandate();
      const terms = { ...creditor, preNotificationDays };
      made(await fillMandate(wallets.database, acme, walletId, terms));
      await requestActivation(wallets.database, mandateId, "mandate/1");
      await activateMandate(wallets.database, mandateId);
      const { activationDate, nextDepositRequestDate, nextDepositDate } = (await present(mandateId))
        .mandate;
      const activated = new Date(romeDate(new Date(activationDate ?? "")));
      const days = (date: string | null) =>
        (Date.parse(date ?? "") - activated.getTime()) / 86_400_000;
      const between = Array.from({ length: 7 }, (_, index) =>
        new Date(activated.getTime() + (preNotificationDays + index) * 86_400_000)
          .toISOString()
          .slice(0, 10),
      );
      expect(days(nextDepositRequestDate)).toBeGreaterThanOrEqual(preNotificationDays);
      expect(nextDepositRequestDate).toBe(between.find(isBankDay));
      expect(nextDepositDate).toBe(addBankDays(nextDepositRequestDate ?? "", 1));
    },
  );

  test("a rejection keeps the bank's reason, a lapse says that it kept silent", async () => {
    const rejected = await openMandateIn("ActivationRequested");
    await rejectMandate(wallets.database, rejected.mandateId, "MD01");
    expect((await present(rejected.mandateId)).mandate.lastError).toBe("MD01");
    const lapsed = await openMandateIn("ActivationRequested");
    await lapseMandate(wallets.database, lapsed.mandateId);
    expect((await present(lapsed.mandateId)).mandate.lastError).toBe("BankSilent");
  });
});

describe("unused for thirty-six months", () => {
  /** Collected so many months ago; null: never. */
  const activeFor = async (months: number, collected: number | null) => {
    const opened = await openMandateIn("Active");
    await wallets.database.execute(
      `update borsello.mandate
       set activation_date = borsello.platform_now() - make_interval(months => $2),
         last_deposit_requested_date = borsello.platform_now() - make_interval(months => $3)
       where mandate_id = $1`,
      [opened.mandateId, months, collected],
    );
    return opened;
  };

  test("a mandate lapses: it is disabled, and the bank is told", async () => {
    const never = await activeFor(37, null);
    const once = await activeFor(50, 36);
    const used = await activeFor(50, 35);
    const fresh = await activeFor(35, null);
    expect(await lapseUnusedMandates(wallets.database, 1)).toBe(1);
    expect(await lapseUnusedMandates(wallets.database, 100)).toBe(1);
    expect(await lapseUnusedMandates(wallets.database, 100)).toBe(0);
    for (const { mandateId, mandate } of [never, once]) {
      expect((await present(mandateId)).mandate).toMatchObject({
        status: "Disabled",
        lastError: "MandateLapsed",
      });
      const reference = mandate.mandateUniqueReference;
      const asked = await requestsFor(wallets.database, mandateId);
      expect(asked).toMatchObject([{ kind: "mandateRevocation", reference }]);
    }
    for (const { mandateId } of [used, fresh])
      expect((await present(mandateId)).mandate.status).toBe("Active");
  });
});
