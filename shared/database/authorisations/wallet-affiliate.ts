/** The affiliate whose cards are paid from wallets of ours: asked in process, as its own endpoint would be. */
import { z } from "zod";
import type { AffiliatePort, Asked } from "../../contracts/authorisations/affiliate.js";
import { O2iRequest } from "../../contracts/authorisations/o2i.js";
import type { PartnerSettings } from "../../contracts/platform/partner-settings.js";
import { euro } from "../../domain/authorisations/amounts.js";
import { approved, declineCodes } from "../../domain/authorisations/declines.js";
import { effectOf } from "../../domain/authorisations/types.js";
import { amountOf } from "../../domain/money.js";
import type { Actor } from "../access/wallet-access.js";
import { payByO2i, reverseO2iPayment, type O2iAnswer } from "../operations/o2i.js";
import type { Database, Queryable } from "../platform/database.js";

const Wallet = z.object({
  walletId: z.string(),
  status: z.string(),
  availableCents: z.bigint(),
});
type Wallet = z.output<typeof Wallet>;

/** The wallet that the card's financialReference names; undefined: it names none of the affiliate's. */
const walletOf = (
  database: Queryable,
  partnerKey: string,
  panToken: string,
): Promise<Wallet | undefined> =>
  database.row(
    Wallet,
    `select wallet_id as "walletId", wallet.status,
       borsello.available_cents(wallet_id) as "availableCents"
     from borsello.card join borsello.wallet on wallet.partner_key = card.partner_key
       and wallet_id = case when pg_input_is_valid(financial_reference, 'uuid')
         then financial_reference::uuid end
     where pan_token = $2 and card.partner_key = $1`,
    [partnerKey, panToken],
  );

const inquiryCodes: Readonly<Record<string, string>> = {
  Active: approved,
  Suspended: declineCodes.locked,
};

const pay = async (
  database: Database,
  actor: Actor,
  settings: PartnerSettings,
  wallet: Wallet | undefined,
  request: O2iRequest,
): Promise<O2iAnswer> => {
  const none = { responseCode: declineCodes.cardInvalid, availableBalance: 0 };
  if (wallet === undefined) return none;
  const billingAmount = request.billingAmount ?? request.transactionAmount ?? 0;
  const done = await payByO2i(
    database,
    { ...actor, isOperator: false, settings },
    wallet.walletId,
    { ...request, billingAmount },
    { request, tags: null },
  );
  return done.ok ? done.value : none;
};

/** In whose name the audit says that a wallet was charged. */
const clientId = "card-platform";

export const walletAffiliate = (
  database: Database,
  settingsOf: (partnerKey: string) => Promise<PartnerSettings | undefined>,
): AffiliatePort => ({
  ask: async ({ partnerKey }, kind, message): Promise<Asked> => {
    const request = O2iRequest.parse(message);
    const { transactionId, refTransactionId } = request;
    const actor: Actor = { partnerKey, clientId };
    const answered = ({ responseCode, availableBalance }: O2iAnswer): Asked => ({
      reached: true,
      answer: { transactionId, responseCode, availableBalance, accountCurrency: euro },
    });
    const wallet = await walletOf(database, partnerKey, request.cardToken);
    const isInquiry = effectOf(request.type) === "inquiry";
    switch (kind !== "reversal" && isInquiry ? "inquiry" : kind) {
      case "reversal": {
        if (refTransactionId === null)
          return answered({ responseCode: declineCodes.transactionInvalid, availableBalance: 0 });
        const walletId = wallet?.walletId ?? null;
        const balance = await reverseO2iPayment(database, actor, refTransactionId, walletId);
        return answered({ responseCode: approved, availableBalance: balance });
      }
      case "inquiry":
        return answered({
          responseCode: inquiryCodes[wallet?.status ?? ""] ?? declineCodes.cardInvalid,
          availableBalance: amountOf(wallet?.availableCents ?? 0n),
        });
      case "request":
      case "advice": {
        const settings = await settingsOf(partnerKey);
        if (settings === undefined)
          return { reached: false, reason: "the affiliate is unknown", inDoubt: false };
        return answered(await pay(database, actor, settings, wallet, request));
      }
    }
  },
});
