/** Updating wallets on a real database: the mandate's guard, residence, exact events and versions. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { customer } from "../../../bench/platform/customers.js";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import { initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import { deleteIban, setIban } from "../../../shared/database/onboarding/ibans.js";
import { updateAttributes } from "../../../shared/database/wallet/attributes.js";
import { updateWallet } from "../../../shared/database/wallet/update.js";

import { countOf } from "../../support/wallet/bank-fixtures.js";
import { createdPayload, envelope, lastMessage } from "../../support/wallet/wallet-events.js";
import {
  acme,
  ibanOf,
  made,
  openValidatedWallet,
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

const AuditedAction = z.object({ action: z.string() });

describe("updating tax id and e-mail", () => {
  test("the wallet changes and WalletUpdated carries the new data and the IBAN", async () => {
    const owner = someone();
    const { walletId } = await openWallet(wallets.database);
    made(await setIban(wallets.database, acme, walletId, ibanOf(owner.iban)));
    const { taxId, email } = owner.owner;
    const wallet = made(await updateWallet(wallets.database, acme, walletId, { taxId, email }));

    expect(wallet).toMatchObject({ taxId, email });
    expect(wallet.lastUpdateDate).not.toBeNull();
    const message = await lastMessage(wallets.database, walletId);
    expect(message.subject).toBe("WalletUpdated");
    expect(message.body).toEqual({
      ...envelope(message.messageId),
      ...createdPayload(wallet),
      iban: owner.iban,
    });
  });

  test("tax id and e-mail of another wallet are refused, one's own are not", async () => {
    const other = await openWallet(wallets.database);
    const own = await openWallet(wallets.database);
    const update = (taxId: string, email: string) =>
      updateWallet(wallets.database, acme, own.walletId, { taxId, email });
    expect(await update(other.taxId, own.email)).toMatchObject({ code: "TaxIdAlreadyAssociated" });
    expect(await update(own.taxId, other.email)).toMatchObject({ code: "EmailAlreadyInUse" });
    expect(await update(own.taxId, own.email)).toMatchObject({ ok: true });
  });

  test("of eight wallets that take one tax id and e-mail at once, one gets them", async () => {
    const { taxId, email } = someone().owner;
    const others = await Promise.all(Array.from({ length: 8 }, () => openWallet(wallets.database)));
    const outcomes = await Promise.all(
      others.map(({ walletId }) =>
        updateWallet(wallets.database, acme, walletId, { taxId, email }),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.code]));
    expect(new Set(refused)).toEqual(new Set(["TaxIdAlreadyAssociated"]));
  });

  test.each(["Draft", "Filled", "ActivationRequested", "Active", "DisableRequested"])(
    "a mandate that is %s forbids it",
    async (status) => {
      const { walletId, taxId, email } = await openValidatedWallet(wallets.database);
      const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
      made(await initialiseMandate(wallets.database, acme, walletId, mandate));
      await wallets.database.execute(
        "update borsello.mandate set status = $2 where wallet_id = $1",
        [walletId, status],
      );
      expect(await updateWallet(wallets.database, acme, walletId, { taxId, email })).toEqual({
        ok: false,
        code: "SedaMandatePresent",
        properties: { mandateStatus: status },
      });
    },
  );

  test.each(["Cancelled", "Disabled", "Rejected"])(
    "a mandate that is %s does not",
    async (status) => {
      const { walletId, taxId, email } = await openValidatedWallet(wallets.database);
      const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
      made(await initialiseMandate(wallets.database, acme, walletId, mandate));
      await wallets.database.execute(
        "update borsello.mandate set status = $2 where wallet_id = $1",
        [walletId, status],
      );
      expect(await updateWallet(wallets.database, acme, walletId, { taxId, email })).toMatchObject({
        ok: true,
      });
    },
  );

  test("a mandate initialised at the same moment comes wholly before or after the update", async () => {
    for (let round = 0; round < 8; round += 1) {
      const { walletId, taxId, email } = await openValidatedWallet(wallets.database);
      const [updated, mandate] = await Promise.all([
        updateWallet(wallets.database, acme, walletId, { taxId, email: `x${email}` }),
        initialiseMandate(wallets.database, acme, walletId, {
          amountCents: 1000n,
          frequency: "Weekly",
        }),
      ]);
      expect(mandate.ok).toBe(true);
      const order = await wallets.database.rows(
        // The audit's order is the order in which the wallet's lock was held.
        AuditedAction,
        `select action from borsello.audit where action in ('update', 'initialise')
           and (entity_id = $1 or entity_id = $2) order by audit_id`,
        [walletId, mandate.ok ? mandate.value.mandateId : ""],
      );
      expect(order.map(({ action }) => action)).toEqual(
        updated.ok ? ["update", "initialise"] : ["initialise"],
      );
    }
  });

  test("a closed wallet takes no more changes", async () => {
    const { walletId, taxId, email } = await openWallet(wallets.database);
    await wallets.database.execute(
      "update borsello.wallet set status = 'Closed' where wallet_id = $1",
      [walletId],
    );
    const refused = { code: "WalletNotActive", properties: { status: "Closed" } };
    const { database } = wallets;
    expect(await updateWallet(database, acme, walletId, { taxId, email })).toMatchObject(refused);
    expect(await setIban(database, acme, walletId, ibanOf(someone().iban))).toMatchObject(refused);
  });
});

describe("updating attributes", () => {
  const attributes = (wallet: Wallet) => ({
    firstName: wallet.firstName,
    lastName: wallet.lastName,
    phoneNumber: wallet.phoneNumber,
  });

  test("given fields change, null ones are removed, absent ones stay", async () => {
    const wallet = await openWallet(wallets.database);
    const change = (more: object) =>
      updateAttributes(wallets.database, acme, wallet.walletId, {
        ...attributes(wallet),
        ...more,
      }).then(made);
    await change({ addressStreet: "Via Roma", city: "Forlì", metadata: { segment: ["a"] } });
    expect(await change({ addressStreet: null, province: "FC" })).toMatchObject({
      addressStreet: null,
      city: "Forlì",
      province: "FC",
      metadata: { segment: ["a"] },
    });
    expect(await change({ metadata: null })).toMatchObject({ metadata: null });
  });

  test("WalletAttributesUpdated says whether a residence field changed", async () => {
    const wallet = await openWallet(wallets.database);
    const said = async (more: object) => {
      const changed = made(
        await updateAttributes(wallets.database, acme, wallet.walletId, {
          ...attributes(wallet),
          ...more,
        }),
      );
      const { subject, body, messageId } = await lastMessage(wallets.database, wallet.walletId);
      expect(subject).toBe("WalletAttributesUpdated");
      const { addressStreet, addressNumber, zipCode, city, province, country } = changed;
      expect(body).toEqual({
        ...envelope(messageId),
        ...createdPayload(changed),
        iban: null,
        ...{ addressStreet, addressNumber, zipCode, city, province, country },
        hasResidenceDataChanged: body["hasResidenceDataChanged"],
      });
      return body["hasResidenceDataChanged"];
    };
    expect(await said({ phoneNumber: "+393339999999" })).toBe(false);
    expect(await said({ country: "IT" })).toBe(true);
    expect(await said({ country: "IT", metadata: { a: 1 } })).toBe(false);
    expect(await said({ country: null })).toBe(true);
  });

  test("names that do not lead to the tax id are refused by the name at fault", async () => {
    const wallet = await openWallet(wallets.database);
    const change = (more: object) =>
      updateAttributes(wallets.database, acme, wallet.walletId, { ...attributes(wallet), ...more });
    expect(await change({ firstName: "Zzz" })).toEqual({
      ok: false,
      code: "NamesDoNotMatchTaxId",
      properties: { firstName: "Zzz" },
    });
    expect(await change({ lastName: "Zzz" })).toMatchObject({ properties: { lastName: "Zzz" } });
  });
});

test("each change raises the version that its event carries", async () => {
  const { walletId, taxId, email } = await openWallet(wallets.database);
  made(await setIban(wallets.database, acme, walletId, ibanOf(customer(920_001).iban)));
  made(await updateWallet(wallets.database, acme, walletId, { taxId, email }));
  made(await deleteIban(wallets.database, acme, walletId));
  const versions = await countOf(
    wallets.database,
    `select count(*) from (
       select entity_version, row_number() over (order by outbox_id) as place
       from borsello.outbox where session_id = $1 and partner_key is not null
     ) as event where entity_version = place`,
    [walletId],
  );
  expect(versions).toBe(4);
});
