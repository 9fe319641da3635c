/** How much of its limits a wallet has used. */
import { z } from "zod";
import type { PartnerSettings } from "../../contracts/platform/partner-settings.js";
import type { WalletLimits } from "../../contracts/ledger/limits.js";
import { success, type Outcome } from "../../domain/outcome.js";
import { unusedLimit, upperLimit } from "../../domain/ledger/limits.js";
import type { Queryable } from "../platform/database.js";
import { readOwned, type WalletRefusal, type Reader } from "../access/wallet-access.js";

const Used = z.object({
  partnerKey: z.string(),
  cashDepositCents: z.bigint(),
  cashWithdrawalCents: z.bigint(),
  sddDepositCents: z.bigint(),
});
type Used = z.infer<typeof Used>;

/** Contract 5, "What counts": whatever was not cancelled, expired, terminated or rejected. */
const selectUsed = `
  select wallet.partner_key as "partnerKey",
    coalesce(sum(amount_cents) filter (where type = 'CashDeposit'), 0)::bigint
      as "cashDepositCents",
    coalesce(sum(amount_cents) filter (where type = 'CashWithdrawal'), 0)::bigint
      as "cashWithdrawalCents",
    coalesce(sum(amount_cents) filter (where type = 'SddDeposit'), 0)::bigint
      as "sddDepositCents"
  from borsello.wallet left join borsello.operation
    on operation.wallet_id = wallet.wallet_id
    and operation.status not in ('Cancelled', 'Expired', 'Terminated', 'OutgoingPaymentRejected')
    and operation.creation_date > borsello.platform_now() - interval '30 days'
  where wallet.wallet_id = $1
  group by wallet.partner_key`;

const limitsOf = (used: Used, limits: PartnerSettings["limits"]): WalletLimits => ({
  maximum: unusedLimit(BigInt(limits.maximumCents)),
  minimum: unusedLimit(BigInt(limits.minimumCents)),
  maximumLastMonthCashDeposit: upperLimit(
    BigInt(limits.lastMonthCashDepositCents),
    used.cashDepositCents,
    "The cash deposits of the last 30 days exceed their limit.",
  ),
  maximumLastMonthCashWithdrawal: upperLimit(
    BigInt(limits.lastMonthCashWithdrawalCents),
    used.cashWithdrawalCents,
    "The cash withdrawals of the last 30 days exceed their limit.",
  ),
  maximumLastMonthSddDeposit: upperLimit(
    BigInt(limits.lastMonthSddDepositCents),
    used.sddDepositCents,
    "The direct-debit deposits of the last 30 days exceed their limit.",
  ),
});

/** `settingsOf` gives the settings of the wallet's own partner. */
export const findLimits = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
  settingsOf: (wallet: { readonly partnerKey: string }) => Promise<PartnerSettings>,
): Promise<Outcome<WalletLimits, WalletRefusal>> => {
  const used = await database.row(Used, selectUsed, [walletId]);
  const found = readOwned(used, reader, walletId);
  if (!found.ok) return found;
  const { limits } = await settingsOf(found.value);
  return success(limitsOf(found.value, limits));
};
