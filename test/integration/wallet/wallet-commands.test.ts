/** Random commands of several clients at once: one serial order explains the wallet, and the counters agree. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { customer } from "../../../bench/platform/customers.js";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import { deleteIban, setIban } from "../../../shared/database/onboarding/ibans.js";
import {
  closeWallet,
  reactivateWallet,
  reopenWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import { partnerStatistics } from "../../../shared/database/wallet/statistics.js";
import { updateWallet } from "../../../shared/database/wallet/update.js";
import { findWallet } from "../../../shared/database/wallet/wallets.js";
import type { Outcome } from "../../../shared/domain/outcome.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import { creditWallet, holdFunds } from "../../support/wallet/funds.js";
import { isSerial, type Done, type Model } from "../../support/database/serial-order.js";
import {
  acme,
  ibanOf,
  made,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const transitions = {
  suspend: ["Active", "Suspended", "WalletNotActive"],
  reactivate: ["Suspended", "Active", "WalletNotSuspended"],
  close: ["Suspended", "Closed", "WalletNotSuspended"],
  reopen: ["Closed", "Suspended", "WalletNotClosed"],
} as const;
type Move = keyof typeof transitions;

type Command =
  | { readonly do: Move }
  | { readonly do: "setIban"; readonly iban: string }
  | { readonly do: "deleteIban" }
  | { readonly do: "update"; readonly email: string };

/** What the commands change, and the answer: that, or the refusal's code. */
interface State {
  readonly status: string;
  readonly iban: string | null;
  readonly email: string;
}
type Answer = State | string;

const changed = (state: State): { answer: Answer; state: State } => ({ answer: state, state });

const model: Model<State, Command, Answer> = {
  step: (state, command) => {
    const refused = (answer: string) => ({ answer, state });
    const isActive = state.status === "Active";
    switch (command.do) {
      case "setIban":
        if (!isActive) return refused("WalletNotActive");
        return changed({ ...state, iban: command.iban });
      case "deleteIban":
        if (state.status === "Closed") return refused("WalletNotActive");
        return state.iban === null ? refused("IbanNotSet") : changed({ ...state, iban: null });
      case "update":
        if (!isActive) return refused("WalletNotActive");
        return changed({ ...state, email: command.email });
      case "suspend":
      case "reactivate":
      case "close":
      case "reopen": {
        const [from, to, code] = transitions[command.do];
        return state.status === from ? changed({ ...state, status: to }) : refused(code);
      }
    }
  },
};

const stateOf = ({ status, iban, email }: Wallet): State => ({ status, iban, email });

const answerOf = (outcome: Outcome<Wallet, string>): Answer =>
  outcome.ok ? stateOf(outcome.value) : outcome.code;

const perform = async ({ walletId, taxId }: Wallet, command: Command): Promise<Answer> => {
  const { database } = wallets;
  switch (command.do) {
    case "suspend":
      return answerOf(await suspendWallet(database, acme, walletId));
    case "reactivate":
      return answerOf(await reactivateWallet(database, acme, walletId));
    case "close":
      return answerOf(await closeWallet(database, acme, walletId, { requiresZeroBalance: false }));
    case "reopen":
      return answerOf(await reopenWallet(database, acme, walletId));
    case "setIban": {
      const set = await setIban(database, acme, walletId, ibanOf(command.iban));
      return set.ok ? stateOf(set.value.wallet) : set.code;
    }
    case "deleteIban":
      return answerOf(await deleteIban(database, acme, walletId));
    case "update":
      return answerOf(
        await updateWallet(database, acme, walletId, { taxId, email: command.email }),
      );
  }
};

/** One of two IBANs and two e-mails, of this wallet alone. */
const commandsFor = (index: number): fc.Arbitrary<Command> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom<Move>("suspend", "reactivate", "close", "reopen")
        .map((move) => ({ do: move })),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(0, 1).map((which) => ({
        do: "setIban" as const,
        iban: customer(500_000 + 2 * index + which).iban,
      })),
    },
    { weight: 1, arbitrary: fc.constant({ do: "deleteIban" as const }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("a", "b").map((which) => ({
        do: "update" as const,
        email: `${which}${index}@serial.example`,
      })),
    },
  );

const Mismatch = z.object({ rows: z.bigint() });

/** Dealers whose counters say something else than their wallets. */
const countedWrongly = async (): Promise<bigint | undefined> => {
  const columns = `active, suspended, closed, active_unused, suspended_unused, closed_unused,
    iban_validated, iban_pending, iban_absent, available_cents`;
  const sums = columns
    .split(",")
    .map((column) => `sum(${column.trim()})::bigint`)
    .join(", ");
  const found = await wallets.database.row(
    Mismatch,
    `select count(*) as rows from (
       (select dealer_key, ${columns} from borsello.wallet_count_of_wallets
        except select dealer_key, ${sums} from borsello.wallet_count group by dealer_key)
       union all
       (select dealer_key, ${sums} from borsello.wallet_count group by dealer_key
        having sum(active + suspended + closed) > 0
        except select dealer_key, ${columns} from borsello.wallet_count_of_wallets)
     ) as differing`,
  );
  return found?.rows;
};

test("whatever several clients do to a wallet at once, one serial order explains it", async () => {
  let index = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }).chain((clients) =>
        fc.array(fc.array(commandsFor((index += 1)), { minLength: 1, maxLength: 4 }), {
          minLength: clients,
          maxLength: clients,
        }),
      ),
      async (scripts) => {
        const wallet = await openWallet(wallets.database);
        const clients = await Promise.all(
          scripts.map(async (script) => {
            const done: Done<Command, Answer>[] = [];
            for (const command of script)
              done.push({ command, answer: await perform(wallet, command) });
            return done;
          }),
        );
        const reader = { ...acme, isOperator: false };
        const end = made(await findWallet(wallets.database, reader, wallet.walletId));
        expect(isSerial(model, stateOf(wallet), stateOf(end), clients)).toBe(true);
        const gaps = await countOf(
          wallets.database,
          `select count(*) from (
             select entity_version, row_number() over (order by outbox_id) as place
             from borsello.outbox where session_id = $1 and subject like 'Wallet%'
           ) as event where entity_version <> place`,
          [wallet.walletId],
        );
        expect(gaps, "each event carries the next version").toBe(0);
        // The next run may draw the same IBANs.
        made(await deleteAll(end));
      },
    ),
    { numRuns: 40 },
  );
  expect(await countedWrongly()).toBe(0n);
});

/** Brings a wallet out of the way, whatever its state. */
const deleteAll = async ({ walletId, status }: Wallet) => {
  const { database } = wallets;
  if (status === "Active") made(await suspendWallet(database, acme, walletId));
  if (status !== "Closed")
    made(await closeWallet(database, acme, walletId, { requiresZeroBalance: false }));
  return destroyWallet(database, acme, walletId);
};

test("after any mixture of changes at once, the statistics say what a count says", async () => {
  const { database } = wallets;
  await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const owner = customer(700_000 + index);
      const dealer = index % 2 === 0 ? "dealer-rome" : "dealer-milan";
      const wallet = await openWallet(database, {
        ...owner,
        owner: { ...owner.owner, originatingDealerKey: dealer },
      });
      const { walletId } = wallet;
      if (index % 3 === 0) made(await setIban(database, acme, walletId, ibanOf(owner.iban)));
      if (index % 4 === 0) await creditWallet(database, walletId, BigInt(100 + index));
      if (index % 8 === 0) await holdFunds(database, walletId, 30n);
      if (index % 5 > 1) made(await suspendWallet(database, acme, walletId));
      if (index % 5 === 3)
        made(
          await deleteAll(
            made(await findWallet(database, { ...acme, isOperator: false }, walletId)),
          ),
        );
      if (index % 5 === 4)
        made(await closeWallet(database, acme, walletId, { requiresZeroBalance: false }));
    }),
  );
  expect(await countedWrongly()).toBe(0n);
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `select count(*)::int as "walletsCount",
       count(*) filter (where status = 'Active')::int as "walletsOpen",
       count(*) filter (where status = 'Suspended')::int as "walletsSuspended",
       count(*) filter (where status = 'Closed')::int as "walletsClosed",
       0 as "walletsIbanValidated",
       count(*) filter (where iban is not null and status <> 'Closed')::int
         as "walletsPendingIbanValidation",
       count(*) filter (where iban is null and status <> 'Closed')::int as "walletsWithoutIban",
       (sum(borsello.available_cents(wallet_id)) / 100)::float8 as "walletsTotalAvailableBalance",
       borsello.iso(min(creation_date)) as "walletsEarliestCreationDate",
       borsello.iso(max(creation_date)) as "walletsLatestCreationDate",
       borsello.iso(min(last_usage_date)) as "walletsEarliestUsageDate",
       borsello.iso(max(last_usage_date)) as "walletsLatestUsageDate",
       borsello.iso(min(last_update_date)) as "walletsEarliestUpdateDate",
       borsello.iso(max(last_update_date)) as "walletsLatestUpdateDate"
     from borsello.wallet where partner_key = 'acme'`,
  );
  expect(made(await partnerStatistics(database, "acme"))).toEqual(rows[0]);
});
