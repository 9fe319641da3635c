/** The states of a wallet: suspend, reactivate, close, reopen (wallet seed, 3.1; contract 4.2). */
import { z } from "zod";
import { Wallet, type walletStatuses } from "../../contracts/wallet/wallets.js";
import { amountOf } from "../../domain/money.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { retryTransfers, returnWaiting } from "../bank/retries.js";
import { availableCents } from "../ledger/ledger.js";
import { disableOpenMandate } from "../mandates/disabling.js";
import { closeOnboarding } from "../onboarding/closing.js";
import { restartOnboarding } from "../onboarding/restart.js";
import { payOutFunds } from "../operations/closing.js";
import { cancelOpenOperations } from "../operations/operations.js";
import { lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";
import { readWallet } from "./wallets.js";

type WalletStatus = (typeof walletStatuses)[number];

interface Transition<Code extends string> {
  /** Name in the audit. */
  readonly action: "suspend" | "reactivate" | "close" | "reopen";
  readonly from: WalletStatus;
  readonly to: WalletStatus;
  /** The refusal in any other status. */
  readonly otherwise: Code;
  readonly event: "WalletSuspended" | "WalletReactivated" | "WalletClosed" | "WalletReopened";
}

const suspension: Transition<"WalletNotActive"> = {
  action: "suspend",
  from: "Active",
  to: "Suspended",
  otherwise: "WalletNotActive",
  event: "WalletSuspended",
};

const reactivation: Transition<"WalletNotSuspended"> = {
  action: "reactivate",
  from: "Suspended",
  to: "Active",
  otherwise: "WalletNotSuspended",
  event: "WalletReactivated",
};

const closure: Transition<"WalletNotSuspended"> = {
  action: "close",
  from: "Suspended",
  to: "Closed",
  otherwise: "WalletNotSuspended",
  event: "WalletClosed",
};

const reopening: Transition<"WalletNotClosed"> = {
  action: "reopen",
  from: "Closed",
  to: "Suspended",
  otherwise: "WalletNotClosed",
  event: "WalletReopened",
};

const Changed = z.object({ wallet: Wallet });

/** `$3` is the action, `$4` the event, `$5` and `$6` the status before and after. */
const changeStatus = `
  with changed as (
    update borsello.wallet as w set status = $6, version = version + 1,
      last_update_date = borsello.platform_now(),
      suspension_date =
        case $3 when 'suspend' then borsello.platform_now() else w.suspension_date end,
      reactivation_date =
        case $3 when 'reactivate' then borsello.platform_now() else w.reactivation_date end,
      closure_date = case $3 when 'close' then borsello.platform_now() else w.closure_date end,
      reopening_date = case $3 when 'reopen' then borsello.platform_now() else w.reopening_date end,
      -- The code of a validation that ends now: who transfers with it, reaches nobody.
      iban_validation_code = case when $3 = 'close' and not w.is_iban_validated then null
        else w.iban_validation_code end
    where wallet_id = $1 and status = $5 returning w
  )
  select borsello.wallet_record(w) as wallet,
    borsello.record_wallet_transition(w, $2, $3, $4, $5)
  from changed`;

/** What belongs to a transition besides its own statement, in the same transaction. */
interface Companions<Code extends string> {
  /** A refusal where the wallet's other rows forbid the change. */
  readonly guard?: (tx: Queryable) => Promise<Outcome<null, Code>>;
  readonly afterwards?: (tx: Queryable) => Promise<unknown>;
}

const change = <Code extends string, GuardCode extends string = never>(
  database: Database,
  actor: Actor,
  walletId: string,
  transition: Transition<Code>,
  { guard, afterwards }: Companions<GuardCode> = {},
): Promise<Outcome<Wallet, WalletRefusal | Code | GuardCode>> =>
  database.transaction(async (tx): Promise<Outcome<Wallet, WalletRefusal | Code | GuardCode>> => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const { status } = locked.value;
    if (status !== transition.from) return refusal(transition.otherwise, { status });
    const guarded = await guard?.(tx);
    if (guarded?.ok === false) return guarded;
    const { action, event, from, to } = transition;
    const values = [walletId, actor.clientId, action, event, from, to];
    const changed = await tx.row(Changed, changeStatus, values);
    if (changed === undefined) throw new Error("A locked wallet was gone before its change.");
    if (afterwards === undefined) return success(changed.wallet);
    await afterwards(tx);
    return success((await readWallet(tx, walletId)) ?? changed.wallet);
  });

/** The wallet's row is held, so no operation can be initialised between the change and the sweep. */
export const suspendWallet = (database: Database, actor: Actor, walletId: string) =>
  change(database, actor, walletId, suspension, {
    afterwards: (tx) =>
      cancelOpenOperations(tx, walletId, actor.clientId, "The wallet was suspended."),
  });

/** A transfer that found the wallet suspended is tried again. */
export const reactivateWallet = (database: Database, actor: Actor, walletId: string) =>
  change(database, actor, walletId, reactivation, {
    afterwards: async (tx) => {
      await restartOnboarding(tx, actor, walletId);
      await retryTransfers(tx, walletId);
    },
  });

/** The partner's own rule about wallets that close. */
export interface ClosingRule {
  readonly requiresZeroBalance: boolean;
}

const emptyWallet = async (
  tx: Queryable,
  walletId: string,
): Promise<Outcome<null, "WalletBalanceNotZero">> => {
  const cents = await availableCents(tx, walletId);
  return cents === 0n
    ? success(null)
    : refusal("WalletBalanceNotZero", { availableBalance: String(amountOf(cents)) });
};

export const closeWallet = (
  database: Database,
  actor: Actor,
  walletId: string,
  { requiresZeroBalance }: ClosingRule,
) =>
  change<"WalletNotSuspended", "WalletBalanceNotZero">(database, actor, walletId, closure, {
    ...(requiresZeroBalance ? { guard: (tx: Queryable) => emptyWallet(tx, walletId) } : {}),
    afterwards: async (tx) => {
      await closeOnboarding(tx, actor, walletId);
      await disableOpenMandate(tx, actor, walletId);
      await returnWaiting(tx, actor, walletId);
      await payOutFunds(tx, actor, walletId);
    },
  });

/** To Suspended, from where it was closed: making it active is a decision of its own. */
export const reopenWallet = (database: Database, actor: Actor, walletId: string) =>
  change(database, actor, walletId, reopening);
