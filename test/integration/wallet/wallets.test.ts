/** Creating and finding wallets on a real database: uniqueness under races, exact record and event. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWallet, findWallet } from "../../../shared/database/wallet/wallets.js";
import { countOf, outboxOf } from "../../support/wallet/bank-fixtures.js";
import { createdPayload, envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  auditOf,
  globex,
  made,
  openWallet,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

describe("creating", () => {
  test("a new wallet is active, has every field, one audit row and the event WalletCreated", async () => {
    const { owner } = someone();
    const wallet = made(await createWallet(wallets.database, acme, owner));

    expect(wallet).toEqual({
      ...owner,
      walletId: wallet.walletId,
      partnerKey: "acme",
      iban: null,
      bic: null,
      isIbanValidated: false,
      ibanValidationCode: null,
      creationDate: wallet.creationDate,
      lastUpdateDate: null,
      lastUsageDate: null,
      closureDate: null,
      suspensionDate: null,
      addressStreet: null,
      addressNumber: null,
      zipCode: null,
      city: null,
      province: null,
      country: null,
      status: "Active",
      metadata: null,
    });
    const [message, ...more] = await outboxOf(wallets.database, wallet.walletId);
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      subject: "WalletCreated",
      destinations: ["acme", "platform-events"],
    });
    expect(message?.body).toEqual({
      ...envelope(message?.messageId ?? ""),
      ...createdPayload(wallet),
    });
    expect(await auditOf(wallets.database, wallet.walletId)).toEqual([
      { actor: "acme-client", entity: "Wallet", action: "create", toStatus: "Active" },
    ]);
  });

  test("of twenty simultaneous wallets with one tax id exactly one is made", async () => {
    const { owner } = someone();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        createWallet(wallets.database, acme, { ...owner, email: `same-tax-${index}@example.com` }),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(
      outcomes.filter((outcome) => !outcome.ok && outcome.code === "TaxIdAlreadyAssociated"),
    ).toHaveLength(19);
    const events = await countOf(
      wallets.database,
      "select count(*) from borsello.outbox where body ->> 'taxId' = $1",
      [owner.taxId],
    );
    expect(events).toBe(1);
  });

  test("of twenty simultaneous wallets with one e-mail exactly one is made", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        createWallet(wallets.database, acme, { ...someone().owner, email: "one@example.com" }),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toEqual({
      ok: false,
      code: "EmailAlreadyInUse",
      properties: { email: "one@example.com" },
    });
  });

  test("another partner may have a wallet of the same person", async () => {
    const { owner } = someone();
    made(await createWallet(wallets.database, acme, owner));
    const elsewhere = { ...owner, originatingDealerKey: "dealer-turin" };
    expect(await createWallet(wallets.database, globex, elsewhere)).toMatchObject({ ok: true });
  });

  test.each([
    ["nobody", "DealerNotFound"],
    ["dealer-turin", "DealerOfAnotherPartner"],
  ])("the dealer %s is refused as %s, and nothing is written", async (dealer, code) => {
    const owner = { ...someone().owner, originatingDealerKey: dealer };
    expect(await createWallet(wallets.database, acme, owner)).toEqual({
      ok: false,
      code,
      properties: { originatingDealerKey: dealer },
    });
    const rows = await countOf(
      wallets.database,
      "select count(*) from borsello.wallet where tax_id = $1",
      [owner.taxId],
    );
    expect(rows).toBe(0);
  });
});

describe("finding", () => {
  test("an operator reads every partner's wallet, a partner its own alone", async () => {
    const { walletId } = await openWallet(wallets.database);
    const read = (partnerKey: string, isOperator: boolean) =>
      findWallet(wallets.database, { partnerKey, isOperator }, walletId);
    expect(await read("acme", false)).toMatchObject({ ok: true });
    expect(await read("platform", true)).toMatchObject({ ok: true });
    expect(await read("globex", false)).toMatchObject({ code: "WalletOfAnotherPartner" });
  });
});
