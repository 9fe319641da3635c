/** Credits of mixed kinds as a bank would report them, repeats among them, with what must become of each. */
import { randomUUID } from "node:crypto";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { setIban } from "../../../shared/database/onboarding/ibans.js";
import { amountOf } from "../../../shared/domain/money.js";
import { partnerNamed } from "../platform/api.js";
import { owe } from "../settlement/store-money.js";
import { openStore } from "../stores/store-fixtures.js";
import {
  acme,
  ibanOf,
  made,
  openValidatedWallet,
  openWallet,
  someone,
} from "../wallet/wallet-fixtures.js";

/** What a credit ends as: in a wallet, at a store, with nobody, or back with its sender. */
export type End = "wallet" | "store" | "suspense" | "sentBack";

export interface Credit {
  readonly end: End;
  /** The wallet or the store. */
  readonly owner: string | null;
  readonly cents: bigint;
  readonly message: BankNotificationMessage;
}

export interface Mail {
  readonly credits: readonly Credit[];
  /** In the order in which they are sent; some come again. */
  readonly sent: readonly BankNotificationMessage[];
}

export interface MailSize {
  /** With the repeats among them. */
  readonly notifications: number;
  readonly wallets: number;
  readonly stores: number;
}

interface Payee {
  readonly walletId: string;
  readonly code: string;
  readonly iban: string;
  readonly holder: string;
}

type Below = (bound: number) => number;
type Draft = Omit<Credit, "cents" | "message"> & {
  readonly cents: bigint;
  readonly says: Partial<BankNotificationMessage>;
};

const repeats = 0.2;
/** Of a hundred credits, how many are of a kind; the rest goes to accounts and names that are known. */
const shares = { byCode: 25, instantByCode: 15, validation: 5, store: 15, unmatched: 10 };
const partsOfDebt = 4;
const stranger = "DE89370400440532013000";

const payee = async (database: Database, isValidated: boolean): Promise<Payee> => {
  const person = someone();
  const holder = `${person.owner.firstName} ${person.owner.lastName}`;
  if (isValidated) {
    const { walletId, ibanValidationCode } = await openValidatedWallet(database, person);
    return { walletId, code: ibanValidationCode ?? "", iban: person.iban, holder };
  }
  const { walletId } = await openWallet(database, person);
  const set = made(await setIban(database, acme, walletId, ibanOf(person.iban)));
  return { walletId, code: set.wallet.ibanValidationCode ?? "", iban: person.iban, holder };
};

const times = async <Value>(
  count: number,
  make: (place: number) => Promise<Value>,
): Promise<Value[]> => {
  const all: Value[] = [];
  for (let place = 0; place < count; place += 1) all.push(await make(place));
  return all;
};

const oneOf = <Value>(values: readonly Value[], place: number): Value => {
  const found = values[place];
  if (found === undefined) throw new Error(`there are only ${values.length}`);
  return found;
};

/** The sandbox bank refuses amounts in .99 and is silent on those in .98; no cent is a request for a test. */
const someCents = (below: Below): bigint => BigInt(1 + below(500)) * 100n + BigInt(below(98));

const deposit = (
  { walletId, code, iban, holder }: Payee,
  kind: "code" | "instant" | "name" | "validation",
  below: Below,
): Draft => {
  const known = { debtorIban: iban, debtorName: holder };
  const own = { end: "wallet", owner: walletId } as const;
  if (kind === "validation")
    return { ...own, cents: 100n, says: { ...known, reason: `Verification ${code}` } };
  const cents = someCents(below);
  if (kind === "name") return { ...own, cents, says: { ...known, reason: "savings" } };
  const type = kind === "instant" ? "IncomingSctInstant" : "IncomingSctStandard";
  return { ...own, cents, says: { type, reason: `for ${code}, thank you` } };
};

const unmatched = (place: number): Partial<BankNotificationMessage> => {
  const kinds = [
    { reason: "for nobody" },
    { type: "IncomingSdd", reason: "a mandate of nobody" },
    { type: "IncomingReconciliation", reason: "what we owe" },
  ] as const;
  return oneOf(kinds, Math.floor(place / 2) % kinds.length);
};

/** What a store owes, paid in parts that come in any order. */
const partsOf = async (
  database: Database,
  storeId: string,
  walletId: string,
  place: number,
  below: Below,
): Promise<Draft[]> => {
  const parts = Array.from({ length: partsOfDebt }, () => someCents(below));
  const day = new Date(Date.UTC(2026, 0, 1 + (place % 25))).toISOString().slice(0, 10);
  const { code } = await owe(database, {
    ...{ walletId, storeId, day },
    cents: -parts.reduce((sum, cents) => sum + cents, 0n),
  });
  return parts.map((cents) => ({
    ...{ end: "store", owner: storeId, cents },
    says: { type: "IncomingReconciliation", reason: `Incassi ${code}` },
  }));
};

const shuffle = <Value>(values: Value[], below: Below): Value[] => {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const place = below(last + 1);
    [values[last], values[place]] = [oneOf(values, place), oneOf(values, last)];
  }
  return values;
};

/** The last state of the stores' operations, which no command has brought there. */
const auditOperations = `
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
  select 'test', partner_key, 'Operation', operation_id::text, 'write', status
  from borsello.operation`;

/** Makes the customers, the stores and their debts, and the mail about them. */
export const composeMail = async (
  database: Database,
  { notifications, wallets, stores }: MailSize,
  below: Below,
): Promise<Mail> => {
  const count = Math.round(notifications * (1 - repeats));
  const share = (of: keyof typeof shares): number => Math.round((count * shares[of]) / 100);
  const creditorIban = partnerNamed("acme").settings.ibanVerification.destinationIban;

  const payees = await times(wallets, () => payee(database, true));
  const anyone = (): Payee => oneOf(payees, below(payees.length));
  const waiting = await times(share("validation"), () => payee(database, false));
  const shops = await times(stores, async () => (await openStore(database)).storeId);
  const debts = await times(Math.round(share("store") / partsOfDebt), (place) =>
    partsOf(
      database,
      oneOf(shops, place % shops.length),
      anyone().walletId,
      Math.floor(place / shops.length),
      below,
    ),
  );
  await database.execute(auditOperations);
  const drafts: Draft[] = [
    ...waiting.map((one) => deposit(one, "validation", below)),
    ...debts.flat(),
    ...Array.from({ length: share("byCode") }, () => deposit(anyone(), "code", below)),
    ...Array.from({ length: share("instantByCode") }, () => deposit(anyone(), "instant", below)),
    ...Array.from({ length: share("unmatched") }, (_, place) => ({
      ...({ end: place % 2 === 0 ? "suspense" : "sentBack", owner: null } as const),
      ...{ cents: someCents(below), says: unmatched(place) },
    })),
  ];
  while (drafts.length < count) drafts.push(deposit(anyone(), "name", below));
  const credits = drafts.map(({ says, cents, ...credit }, place): Credit => {
    const message: BankNotificationMessage = {
      type: "IncomingSctStandard",
      transactionReference: `TRN-${place}-${randomUUID().slice(0, 8)}`,
      paymentGatewayReference: place % 2 === 0 ? null : randomUUID(),
      ...{ debtorName: "Nobody Known", debtorIban: stranger, creditorName: "Borsello" },
      ...{ creditorIban, amount: amountOf(cents), receptionDate: "2026-01-15T09:30:00.000Z" },
      reason: "",
      ...says,
    };
    return { ...credit, cents, message };
  });
  const messages = credits.map(({ message }) => message);
  const again = Array.from({ length: notifications - count }, () =>
    oneOf(messages, below(messages.length)),
  );
  return { credits, sent: shuffle([...messages, ...again], below) };
};
