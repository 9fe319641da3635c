/** Whatever stores, persons and the bank do in whatever order: each cent is where the books say. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { accountCents } from "../../support/settlement/confirmed-operations.js";
import {
  activateMandate,
  approve,
  compensate,
  credit,
  groupsOf,
  harvest,
  mismatches,
  operateOn,
  requestsOf,
  tellBank,
} from "../../support/settlement/store-money.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let opened: WalletTest;
let walletId: string;
beforeAll(async () => {
  opened = await openWalletTest();
  ({ walletId } = await openValidatedWallet(opened.database));
});
afterAll(() => opened.end());

const cents = fc.integer({ min: 1, max: 60_00 }).map(BigInt);
const store = fc.nat({ max: 1 });
/** Which of the groups, notifications or requests that there are by then. */
const pick = fc.nat({ max: 7 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("owe"), store, cents, owed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("operate"), store, cents }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: fc.constant("pay"), store, pick, cents },
      part: fc.constantFrom("all", "some", "two"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("approve"), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("compensate") }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ do: fc.constant("tell"), store, pick },
      outcome: fc.constantFrom("accepted", "booked", "refused", "returned"),
    }),
  },
);

const Amount = z.object({ cents: z.bigint() });
const sum = async (text: string): Promise<bigint> =>
  (await opened.database.row(Amount, `select coalesce((${text}), 0)::bigint as cents`))?.cents ??
  0n;

/** What is in suspense and in transit, by what lies there. */
const expected = async () => ({
  suspense: await sum(
    "select sum(amount_cents - consumed_amount_cents) from borsello.bank_notification where is_booked",
  ),
  transit: await sum(
    `select sum(borsello.cents(payload -> 'amount')) from borsello.bank_request
     where kind = 'payment' and reconciliation_id is not null
       and status in ('Requested', 'Accepted')`,
  ),
});

test("stores' accounts are their groups, suspense is what transfers hold, transit what is under way", async () => {
  const { database } = opened;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const stores = [(await openStore(database)).storeId, (await openStore(database)).storeId];
      await activateMandate(database, stores[0] ?? "");
      const credits: string[] = [];
      for (const taken of steps) {
        const storeId = ("store" in taken ? stores[taken.store] : undefined) ?? "";
        const groups = storeId === "" ? [] : await groupsOf(database, storeId);
        if (taken.do === "owe" && "owed" in taken) {
          const at = { walletId, storeId, cents: taken.owed ? taken.cents : -taken.cents };
          await harvest(database, await operateOn(database, at));
        } else if (taken.do === "operate" && "cents" in taken) {
          await operateOn(database, { walletId, storeId, cents: -taken.cents });
        } else if (taken.do === "pay" && "part" in taken && groups.length > 0) {
          const group = groups[taken.pick % groups.length];
          const owed =
            group === undefined || group.openCents >= 0n ? taken.cents : -group.openCents;
          const named = taken.part === "two" ? groups.map(({ code }) => code) : [group?.code ?? ""];
          const paid = taken.part === "all" ? owed : taken.cents;
          credits.push((await credit(database, paid, named.join(" "))).bankNotificationId);
        } else if (taken.do === "approve" && "pick" in taken && credits.length > 0) {
          await approve(database, credits[taken.pick % credits.length] ?? "");
        } else if (taken.do === "compensate") {
          await compensate(database);
        } else if (taken.do === "tell" && "outcome" in taken && groups.length > 0) {
          const { reconciliationId = "" } = groups[taken.pick % groups.length] ?? {};
          if ((await requestsOf(database, reconciliationId)).length > 0)
            await tellBank(database, reconciliationId, taken.outcome);
        }
      }
      expect(await mismatches(database)).toEqual([]);
      expect({
        suspense: await accountCents(database, "Suspense", "received"),
        transit: await accountCents(database, "Transit", "outgoing"),
      }).toEqual(await expected());
    }),
    { numRuns: 4 },
  );
  const { findings } = await proveBook({ kind: "url", url: opened.url });
  // The operations are written here without the audit of their commands, and so are not proved.
  expect(findings.filter(({ check }) => check !== "operations")).toEqual([]);
});
