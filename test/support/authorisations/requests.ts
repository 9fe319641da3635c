/** Requests of the card network, with every key, and a desk at which tests ask for them in process. */
import { z } from "zod";
import { authorise } from "../../../functions/authorisations/authorise.js";
import { receiveAuthorisation } from "../../../functions/authorisations/receive-authorisation.js";
import type { AffiliatePort, Asked } from "../../../shared/contracts/authorisations/affiliate.js";
import {
  O2iRequest,
  type O2iAnswer,
  type O2iKind,
} from "../../../shared/contracts/authorisations/o2i.js";
import { findPartner } from "../../../shared/database/access/partners.js";
import { walletAffiliate } from "../../../shared/database/authorisations/wallet-affiliate.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { createChanges } from "../../../shared/platform/changes.js";
import { systemClock } from "../../../shared/platform/clock.js";
import { deposit, openBookWallet, writeOperation } from "../accounting/books.js";
import { issueCard, openAccount, type CardChanges, type IssuedCard } from "../card/cards.js";

let transactions = 0;

/** A purchase of 30 that no test of this file has seen. */
export const o2iRequest = (
  cardToken: string,
  changes: Partial<z.input<typeof O2iRequest>> = {},
): O2iRequest => {
  transactions += 1;
  return O2iRequest.parse({
    transactionId: `A-${transactions}`,
    ...{ transactionAmount: 30, transactionCurrency: 978, billingAmount: 30, billingCurrency: 978 },
    ...{ mcc: 5411, merchantName: "Bottega", merchantCountry: 380, cardToken, cardScheme: 3 },
    ...{ type: 0, source: "P", entryMode: 7 },
    ...changes,
  });
};

/** What takes it back. */
export const reversalRequest = (
  { cardToken, transactionId: refTransactionId }: O2iRequest,
  changes: Partial<z.input<typeof O2iRequest>> = {},
): O2iRequest => o2iRequest(cardToken, { refTransactionId, ...changes });

export interface PaidCard extends IssuedCard {
  readonly walletId: string;
}

/** A card of acme's that is paid from a wallet with so much in it. */
export const paidCard = async (
  database: Database,
  cents: bigint,
  changes: CardChanges = {},
): Promise<PaidCard> => {
  const wallet = await openBookWallet(database);
  if (cents > 0n) await writeOperation(database, wallet, deposit(cents));
  const { accountId } = await openAccount(database);
  const { walletId } = wallet;
  const card = await issueCard(database, accountId, { financialReference: walletId, ...changes });
  return { ...card, walletId };
};

/** What is kept of a request, and what is seen of it. */
const Kept = z.object({
  status: z.string(),
  transaction: z.string().nullable(),
  /** Of a reversal by the platform itself: in how many seconds it is due. */
  reversalDueIn: z.int().nullable(),
});

const Use = z.object({ day: z.string(), overall: z.bigint(), atm: z.bigint() });

const clientId = "acme-client";

/** Asks like acme's processor does. `affiliates`: who is asked; the cards' wallets unless told otherwise. */
export const openDesk = async (
  database: Database,
  target: { readonly endpoint: string | null; readonly standIn: string | null } = {
    ...{ endpoint: "wallet", standIn: null },
  },
) => {
  const partner = await findPartner(database, "acme");
  if (partner === undefined) throw new Error("acme is not there");
  const { settings } = partner;
  const wallets = walletAffiliate(database, () => Promise.resolve(settings));
  const means = {
    ...{ database, changes: createChanges(), clock: systemClock },
    config: { environment: "production" as const },
  };
  const o2i = { ...settings.cards.o2i, ...target };
  const affiliate = {
    ...{ partnerKey: "acme", clientId },
    settings: { ...settings, cards: { ...settings.cards, o2i } },
  };
  const send = async (
    kind: O2iKind,
    request: O2iRequest,
    affiliates: AffiliatePort = wallets,
  ): Promise<O2iAnswer> => {
    const answered = await authorise({ ...means, affiliates }, affiliate, kind, request);
    if (!answered.ok) throw new Error(answered.code);
    return answered.value;
  };
  return {
    wallets,
    send,
    /** As the card processor's message says it. */
    receive: (request: O2iRequest, affiliates: AffiliatePort = wallets) =>
      receiveAuthorisation(
        {
          ...{ ...means, affiliates },
          partners: {
            byKey: (key) => findPartner(database, key),
            byClient: () => Promise.resolve(undefined),
            byClientAnew: () => Promise.resolve(undefined),
          },
        },
        request,
      ),
    /** Its response code. */
    ask: async (...asked: Parameters<typeof send>): Promise<string> =>
      (await send(...asked)).responseCode,
    kept: async (transactionId: string): Promise<z.output<typeof Kept> | undefined> =>
      database.row(
        Kept,
        `select a.status, t.status as transaction, (
           select round(extract(epoch from p.due_at - borsello.platform_now()))::integer
           from borsello.o2i_push as p where p.partner_key = a.partner_key
             and p.request ->> 'refTransactionId' = a.transaction_id
         ) as "reversalDueIn"
         from borsello.card_authorisation as a left join borsello.card_transaction as t
           using (partner_key, transaction_id)
         where a.partner_key = 'acme' and a.transaction_id = $1`,
        [transactionId],
      ),
    used: (cardId: string): Promise<z.output<typeof Use>[]> =>
      database.rows(
        Use,
        `select day::text as day, overall_cents as overall, atm_cents as atm
         from borsello.card_usage where card_id = $1 and overall_cents > 0 order by day`,
        [cardId],
      ),
    /** What is available in the wallet, in cents. */
    available: async (walletId: string): Promise<bigint> => {
      const row = await database.row(
        z.object({ cents: z.bigint() }),
        "select borsello.available_cents($1) as cents",
        [walletId],
      );
      return row?.cents ?? 0n;
    },
    /** As if it had been asked so long ago. */
    age: async (transactionId: string, seconds: number): Promise<void> => {
      await database.execute(
        `update borsello.card_authorisation set asked_at = asked_at - make_interval(secs => $2)
         where partner_key = 'acme' and transaction_id = $1`,
        [transactionId, seconds],
      );
    },
  };
};
export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** An affiliate that answers as it is told, and remembers what it was asked. */
export const scripted = (
  answer: (kind: O2iKind, request: O2iRequest) => string | Promise<Asked>,
): AffiliatePort & { readonly heard: string[] } => {
  const heard: string[] = [];
  return {
    heard,
    ask: async (_affiliate, kind, message) => {
      const request = O2iRequest.parse(message);
      heard.push(`${kind} ${request.transactionId}`);
      const told = answer(kind, request);
      if (typeof told !== "string") return told;
      const { transactionId } = request;
      const rest = { availableBalance: 100, accountCurrency: 978 };
      return { reached: true, answer: { transactionId, responseCode: told, ...rest } };
    },
  };
};

export const approving = () => scripted(() => "00");
export const declining = () => scripted(() => "51");

/** Not reached; `inDoubt`: it may have got the request. */
export const unreached = (inDoubt: boolean) =>
  scripted(() => Promise.resolve({ reached: false, reason: "silent", inDoubt }));
