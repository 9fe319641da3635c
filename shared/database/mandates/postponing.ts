/** Puts off the next collection of an active mandate, never forward; its new date is the agreed one from then on. */
import { bankDayBefore, isBankDay, isWeekend } from "../../domain/bank/bank-days.js";
import { refusal, type Outcome } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import {
  changeCurrentOfActive,
  mandateColumns,
  readMandateRow,
  type MandateRefusal,
  type StoredMandate,
} from "./mandates.js";

type DateRefusal = "DepositDateOnWeekend" | "DepositDateNotBankDay" | "DepositDateNotLater";

const postpone = `
  with changed as (
    update borsello.mandate as m set next_deposit_date = $3, next_deposit_request_date = $4,
      deposit_anchor = $3
    where mandate_id = $1 and status = 'Active'
      and greatest(next_deposit_date, borsello.rome_date(borsello.platform_now())) < $3
    returning m
  )
  select ${mandateColumns}, borsello.record_mandate_change(m, $2, 'postpone', (m).status)
  from changed`;

export const postponeDeposit = async (
  database: Database,
  actor: Actor,
  walletId: string,
  newDepositDate: string,
): Promise<Outcome<StoredMandate, MandateRefusal | "WalletNotActive" | DateRefusal>> => {
  if (isWeekend(newDepositDate)) return refusal("DepositDateOnWeekend", { newDepositDate });
  if (!isBankDay(newDepositDate)) return refusal("DepositDateNotBankDay", { newDepositDate });
  const changed = await changeCurrentOfActive(database, actor, walletId, (tx, { mandateId }) =>
    readMandateRow(tx, postpone, [
      mandateId,
      actor.clientId,
      newDepositDate,
      bankDayBefore(newDepositDate),
    ]),
  );
  // An active mandate's status does not stand against it: the present date does.
  return !changed.ok && changed.properties["mandateStatus"] === "Active"
    ? refusal("DepositDateNotLater", { newDepositDate })
    : changed;
};
