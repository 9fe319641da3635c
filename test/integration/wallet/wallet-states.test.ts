/** The wallet's states on a real database: guards, events, open operations, mandates, deletion for good. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import { requestSignature } from "../../../shared/database/onboarding/contracts.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import {
  findCurrentMandate,
  initialiseMandate,
} from "../../../shared/database/mandates/mandates.js";
import { writeScript } from "../../../shared/database/sandbox/bank-script.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import {
  closeWallet,
  reactivateWallet,
  reopenWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import { createWallet, findWallet } from "../../../shared/database/wallet/wallets.js";
import { commandsOn } from "../../support/operations/commands.js";
import { countOf, outboxOf } from "../../support/wallet/bank-fixtures.js";
import { creditWallet, holdFunds } from "../../support/wallet/funds.js";
import { createdPayload, envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  auditOf,
  globex,
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

const anyBalance = { requiresZeroBalance: false };

const moves = {
  suspend: (id: string) => suspendWallet(wallets.database, acme, id),
  reactivate: (id: string) => reactivateWallet(wallets.database, acme, id),
  close: (id: string) => closeWallet(wallets.database, acme, id, anyBalance),
  reopen: (id: string) => reopenWallet(wallets.database, acme, id),
} as const;
type Move = keyof typeof moves;

const walletIn = async (...path: readonly Move[]): Promise<Wallet> => {
  let wallet = await openWallet(wallets.database);
  for (const move of path) wallet = made(await moves[move](wallet.walletId));
  return wallet;
};

const ways = {
  Active: [],
  Suspended: ["suspend"],
  Closed: ["suspend", "close"],
} as const satisfies Record<string, readonly Move[]>;

describe("each transition", () => {
  test.each([
    ["suspend", "Active", "Suspended", "WalletNotActive"],
    ["reactivate", "Suspended", "Active", "WalletNotSuspended"],
    ["close", "Suspended", "Closed", "WalletNotSuspended"],
    ["reopen", "Closed", "Suspended", "WalletNotClosed"],
  ] as const)("%s: %s to %s, else %s with the status found", async (move, from, to, code) => {
    for (const [status, way] of Object.entries(ways)) {
      const { walletId } = await walletIn(...way);
      const moved = await moves[move](walletId);
      if (status === from) expect(moved).toMatchObject({ ok: true, value: { status: to } });
      else expect(moved).toEqual({ ok: false, code, properties: { status } });
    }
  });

  test.each([
    ["suspend", [], "WalletSuspended", "suspensionDate"],
    ["reactivate", ["suspend"], "WalletReactivated", "reactivationDate"],
    ["close", ["suspend"], "WalletClosed", "closureDate"],
    ["reopen", ["suspend", "close"], "WalletReopened", "reopeningDate"],
  ] as const)("%s writes its date, audit row and event", async (move, way, subject, date) => {
    const before = await walletIn(...way);
    const wallet = made(await moves[move](before.walletId));
    expect(wallet.lastUpdateDate).not.toBeNull();
    const messages = await outboxOf(wallets.database, wallet.walletId);
    const event = messages.find((message) => message.subject === subject);
    if (event === undefined) throw new Error(`no ${subject}`);
    const { reactivationDate, ...payload } = createdPayload(wallet);
    expect(event.body).toEqual({
      ...envelope(event.messageId),
      ...payload,
      ...(subject === "WalletReopened" ? {} : { reactivationDate }),
      iban: null,
      suspensionDate: wallet.suspensionDate,
      closureDate: wallet.closureDate,
      [date]: wallet.lastUpdateDate,
    });
    expect(event.destinations).toEqual(["acme", "platform-events"]);
    const audit = await auditOf(wallets.database, wallet.walletId);
    expect(audit.findLast(({ entity }) => entity === "Wallet")).toEqual({
      actor: "acme-client",
      entity: "Wallet",
      action: move,
      toStatus: wallet.status,
    });
  });

  test("another partner may not, and nobody can with a wallet that is not there", async () => {
    const { walletId } = await openWallet(wallets.database);
    expect(await suspendWallet(wallets.database, globex, walletId)).toMatchObject({
      code: "WalletOfAnotherPartner",
    });
    expect(await moves.suspend("01890a5d-ac96-774b-bcce-b302099a8057")).toMatchObject({
      code: "WalletNotFound",
    });
  });
});

describe("suspending", () => {
  test("cancels what is initialised, frees its hold and tells of each after the suspension", async () => {
    const { walletId } = await openWallet(wallets.database);
    await creditWallet(wallets.database, walletId, 1_000n);
    const held = [await holdFunds(wallets.database, walletId, 300n)];
    held.push(await holdFunds(wallets.database, walletId, 200n));
    expect(await availableCents(wallets.database, walletId)).toBe(500n);
    made(await moves.suspend(walletId));
    expect(await availableCents(wallets.database, walletId)).toBe(1_000n);
    const told = (await outboxOf(wallets.database, walletId)).slice(-3);
    expect(told.map(({ subject, body }) => [subject, body["operationId"], body["status"]])).toEqual(
      [
        ["WalletSuspended", undefined, undefined],
        ["OperationCancelled", held[0], "Cancelled"],
        ["OperationCancelled", held[1], "Cancelled"],
      ],
    );
    expect(told.at(-1)?.body).toMatchObject({
      cancellationDate: expect.stringMatching(/Z$/) as unknown,
      terminationDate: null,
      expiryDate: null,
    });
  });

  test("what is confirmed stays", async () => {
    const { walletId } = await openWallet(wallets.database);
    await creditWallet(wallets.database, walletId, 100n);
    made(await moves.suspend(walletId));
    const open = "select count(*) from borsello.operation where wallet_id = $1 and status = $2";
    expect(await countOf(wallets.database, open, [walletId, "Confirmed"])).toBe(1);
  });
});

describe("closing", () => {
  test.each([
    ["Draft", "Cancelled"],
    ["Filled", "Cancelled"],
    ["ActivationRequested", "DisableRequested"],
    ["Active", "DisableRequested"],
    ["DisableRequested", "DisableRequested"],
    ["Rejected", "Rejected"],
  ])("a mandate that is %s is then %s", async (status, after) => {
    const { walletId } = await openValidatedWallet(wallets.database);
    const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
    made(await initialiseMandate(wallets.database, acme, walletId, mandate));
    await wallets.database.execute("update borsello.mandate set status = $2 where wallet_id = $1", [
      walletId,
      status,
    ]);
    made(await moves.suspend(walletId));
    made(await moves.close(walletId));
    const found = await findCurrentMandate(wallets.database, walletId);
    expect(found?.mandate.status).toBe(after);
  });

  test("ends a running onboarding by a message to its flow", async () => {
    const { walletId } = await walletIn("suspend");
    made(await moves.close(walletId));
    const messages = await outboxOf(wallets.database, walletId);
    expect(messages.find(({ subject }) => subject === "OnboardingClosed")).toMatchObject({
      destinations: ["platform-events"],
      body: { walletId, partnerKey: "acme" },
    });
  });

  test("funds forbid it only where the partner says so", async () => {
    const { walletId } = await openWallet(wallets.database);
    await creditWallet(wallets.database, walletId, 150n);
    made(await moves.suspend(walletId));
    const empty = { requiresZeroBalance: true };
    expect(await closeWallet(wallets.database, acme, walletId, empty)).toEqual({
      ok: false,
      code: "WalletBalanceNotZero",
      properties: { availableBalance: "1.5" },
    });
    expect(await moves.close(walletId)).toMatchObject({ ok: true });
  });

  test("its tax id and e-mail stay taken", async () => {
    const owner = someone();
    const { walletId } = await openWallet(wallets.database, owner);
    made(await moves.suspend(walletId));
    made(await moves.close(walletId));
    expect(await createWallet(wallets.database, acme, owner.owner)).toMatchObject({
      code: "TaxIdAlreadyAssociated",
    });
  });
});

const Left = z.object({ table: z.string(), rows: z.int() });

/** Rows of any table that still name the wallet, but for what the platform told and noted of it. */
const leftOf = async (walletId: string) => {
  const tables = await wallets.database.rows(
    z.object({ name: z.string() }),
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'borsello'::regnamespace and c.relkind = 'r' and a.attname = 'wallet_id'`,
  );
  const counts = tables.map(
    ({ name }) =>
      `select '${name}' as "table", count(*)::integer as rows from borsello.${name} where wallet_id = $1`,
  );
  const left = await wallets.database.rows(Left, counts.join(" union all "), [walletId]);
  return left.filter(({ rows }) => rows > 0);
};

describe("deleting for good", () => {
  const destroy = (walletId: string) => destroyWallet(wallets.database, acme, walletId);

  test("removes a closed wallet with everything of it, and its owner may come anew", async () => {
    const groups = commandsOn(wallets.database);
    const owner = someone();
    const { walletId } = await openValidatedWallet(wallets.database, owner);
    await creditWallet(wallets.database, walletId, 700n);
    await holdFunds(wallets.database, walletId, 100n);
    await groups.initialiseGroup(walletId);
    const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
    made(await initialiseMandate(wallets.database, acme, walletId, mandate));
    made(await requestSignature(wallets.database, acme, walletId));
    await wallets.database.execute(
      `insert into borsello.document (document_key, content_type, sha256, bytes)
       values ($1, 'application/pdf', '', '')`,
      [`contract/${walletId}/1`],
    );
    made(await moves.suspend(walletId));
    const closed = made(await moves.close(walletId));
    const script = { kind: "payment", outcome: "refused", reasonCode: null } as const;
    await writeScript(wallets.database, { ...script, partnerKey: "acme", iban: closed.iban });
    expect(made(await destroy(walletId))).toEqual(closed);

    expect(await leftOf(walletId)).toEqual([]);
    expect(await findWallet(wallets.database, { ...acme, isOperator: false }, walletId)).toEqual({
      ok: false,
      code: "WalletNotFound",
      properties: { walletId },
    });
    for (const nothing of [
      `select count(*) from borsello.document where document_key like '%${walletId}%'`,
      "select count(*) from borsello.sandbox_bank_script",
      "select count(*) from borsello.bucket_mismatch",
      `select count(*) from borsello.account as a where kind = 'Bucket'
         and not exists (select from borsello.bucket as b where b.account_id = a.account_id)`,
      `select count(*) from (select transaction_id from borsello.entry group by transaction_id
         having sum(amount_cents) <> 0) as unbalanced`,
    ])
      expect(await countOf(wallets.database, nothing), nothing).toBe(0);
    expect((await auditOf(wallets.database, walletId)).at(-1)).toMatchObject({
      actor: "acme-client",
      action: "forceDelete",
    });
    expect(await openWallet(wallets.database, owner)).toMatchObject({ status: "Active" });
  });

  test.each([[[]], [["suspend"]]] as const)("a wallet after %j is not closed", async (way) => {
    const { walletId, status } = await walletIn(...way);
    expect(await destroy(walletId)).toEqual({
      ok: false,
      code: "WalletNotClosed",
      properties: { status },
    });
  });

  test("posted lines of any other wallet stay refused, in the same transaction too", async () => {
    const { walletId } = await openWallet(wallets.database);
    await creditWallet(wallets.database, walletId, 100n);
    const doomed = await walletIn("suspend", "close");
    const both = wallets.database.transaction(async (tx) => {
      await tx.execute("select borsello.force_delete_wallet($1, 'acme-client')", [doomed.walletId]);
      await tx.execute("delete from borsello.entry");
    });
    await expect(both).rejects.toMatchObject({ constraint: "ledger_append_only" });
    expect(await destroy(doomed.walletId)).toMatchObject({ ok: true });
  });
});
