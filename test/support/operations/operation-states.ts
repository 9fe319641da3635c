/** The states in which routes of operations refuse: each call makes what it is about anew. */
import { z } from "zod";
import * as families from "../../../shared/contracts/operations/families.js";
import type { CommandOutcome } from "../../../shared/database/operations/commands.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { FamilyType, FundsType } from "../../../shared/domain/operations/families.js";
import { openStore } from "../stores/store-fixtures.js";
import { globex, made, openValidatedWallet } from "../wallet/wallet-fixtures.js";
import { commandsOn, freshKey, type Asked } from "./commands.js";

export const isDebit = (type: FamilyType): boolean =>
  type === "CashWithdrawal" || type === "Payment" || type === "SctWithdrawal";

/** The families whose body names a store; the others name a dealer or nobody. */
export const isAtStore = (type: FamilyType): boolean =>
  type !== "WelfareDeposit" && type !== "SctWithdrawal";

/** The families whose body names a group. */
export const isGroupable = (type: FamilyType): boolean =>
  type === "CashDeposit" || type === "LoyaltyDeposit" || type === "Payment";

export const routesOf = (type: FamilyType) => {
  const found = families.operationFamilies.find((family) => family.type === type);
  if (found === undefined) throw new Error(`no routes of ${type}`);
  return found;
};

const Waiting = z.object({ waiting: z.boolean() });
const tags = { till: "1" };
type Body = Readonly<Record<string, unknown>>;

/** Nobody settles operations that a test sets into states which they never went through. */
export const withoutSettlement = {
  "AzureWebJobs.accountingOperations.Disabled": "true",
  "AzureWebJobs.settlementSweep.Disabled": "true",
} as const;

export const operationStates = (read: () => Database) => {
  let opened: Promise<string> | undefined;
  const storeId = (): Promise<string> =>
    (opened ??= openStore(read()).then((store) => store.storeId));
  const walletId = async (): Promise<string> => (await openValidatedWallet(read())).walletId;

  const partyOf = async (type: FamilyType) => ({
    storeId: isAtStore(type) ? await storeId() : null,
    dealerKey: type === "WelfareDeposit" ? "dealer-rome" : null,
  });

  /** A sound body of initialisation, and of its simulation. */
  const body = async (type: FamilyType, change: Body = {}): Promise<Body> => ({
    ...{ idempotencyKey: freshKey(), amount: 10, tags },
    ...(isAtStore(type) ? { storeId: await storeId() } : {}),
    ...(type === "WelfareDeposit" ? { dealerKey: "dealer-rome" } : {}),
    ...(type === "LoyaltyDeposit" ? { fundsExpiryDate: null } : {}),
    ...(type === "CashDeposit" ? { operationGroupId: null } : {}),
    ...change,
  });
  const simulation = async (type: FamilyType, change: Body = {}): Promise<Body> => {
    const given = await body(type, change);
    const ofInitialisation = ["idempotencyKey", "operationGroupId"];
    return Object.fromEntries(
      Object.entries(given).filter(([name]) => !ofInitialisation.includes(name)),
    );
  };

  /** Credits the wallet with funds of this kind, and resolves to their bucket. */
  const fund = async (
    ofWallet: string,
    cents: bigint,
    fundsType: FundsType = "Standard",
    change: Partial<Asked> = {},
  ): Promise<string> => {
    const type: FamilyType = fundsType === "Standard" ? "CashDeposit" : `${fundsType}Deposit`;
    const asked = { walletId: ofWallet, type, cents, feeRules: [], ...change };
    return (await commandsOn(read()).confirmed({ ...asked, ...(await partyOf(type)) })).bucketId;
  };

  /** An initialised operation of 10.00 of a wallet that can bear it. */
  const pending = async (
    ofWallet: string,
    type: FamilyType,
    change: Partial<Asked> = {},
  ): Promise<string> => {
    if (isDebit(type)) await fund(ofWallet, 2_000n);
    const asked = { walletId: ofWallet, type, cents: 1_000n, ...(await partyOf(type)), ...change };
    return (await commandsOn(read()).initialised(asked)).operationId;
  };

  const set = (operationId: string, assignment: string): Promise<number> =>
    read().execute(`update borsello.operation set ${assignment} where operation_id = $1`, [
      operationId,
    ]);

  const group = async (ofWallet: string, key?: string): Promise<string> => {
    const commands = commandsOn(read());
    return commands.groupOf(await commands.initialiseGroup(ofWallet, key));
  };

  const changed = async (
    ofWallet: string,
    type: FamilyType,
    kind: "confirm" | "cancel" | "terminate",
  ): Promise<string> => {
    const operationId = await pending(ofWallet, type);
    made(await commandsOn(read()).change(kind, { walletId: ofWallet, type }, operationId));
    return operationId;
  };

  /**
   * Holds the wallet's row, so that what `start` asks for cannot end; resolves when it waits, to what
   * lets it go on and resolves when it is over.
   */
  const inFlight = async (ofWallet: string, start: () => Promise<unknown>) => {
    const holder = await read().pool.connect();
    await holder.query("begin");
    await holder.query("select from borsello.wallet where wallet_id = $1 for no key update", [
      ofWallet,
    ]);
    const started = start();
    for (let waiting = false; !waiting;) {
      // Within one transaction the server shows its activity as it was at the first look.
      await holder.query("select pg_stat_clear_snapshot()");
      const { rows } = await holder.query(
        `select exists (select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'
             and query like '%run_operation_commands%') as waiting`,
      );
      ({ waiting } = Waiting.parse(rows[0]));
    }
    return async (): Promise<void> => {
      await holder.query("rollback");
      holder.release();
      await started;
    };
  };

  const storeThatIs = async (
    kind: "nowhere" | "deleted" | "inactive" | "ofGlobex",
  ): Promise<string> => {
    if (kind === "nowhere") return "01890a5d-ac96-774b-bcce-b302099a8057";
    if (kind === "ofGlobex") return (await openStore(read(), {}, globex, "dealer-turin")).storeId;
    const { storeId: made } = await openStore(read());
    const assignment =
      kind === "deleted" ? "is_active = false, deletion_date = now()" : "is_active = false";
    await read().execute(`update borsello.store set ${assignment} where store_id = $1`, [made]);
    return made;
  };

  const expiredFunds = async (ofWallet: string): Promise<string> => {
    const bucketId = await fund(ofWallet, 5_000n, "Loyalty", { fundsExpiryDate: "2099-01-01" });
    await read().execute(
      "update borsello.bucket set funds_expiry_date = '2020-01-01' where bucket_id = $1",
      [bucketId],
    );
    return bucketId;
  };

  return {
    ...{ storeThatIs, expiredFunds },
    initialise: async (ofWallet: string, type: FamilyType, key: string): Promise<CommandOutcome> =>
      commandsOn(read()).initialise({
        ...{ walletId: ofWallet, type, cents: 1_000n, key },
        ...(await partyOf(type)),
      }),
    endedGroup: async (ofWallet: string): Promise<string> => {
      const operationGroupId = await group(ofWallet);
      made(await commandsOn(read()).changeGroup("cancelGroup", ofWallet, operationGroupId));
      return operationGroupId;
    },
    confirmGroup: async (ofWallet: string, operationGroupId: string): Promise<void> => {
      made(await commandsOn(read()).changeGroup("confirmGroup", ofWallet, operationGroupId));
    },
    /** Without what suspending does besides: as if the operation had come between. */
    suspendAlone: (ofWallet: string): Promise<number> =>
      read().execute("update borsello.wallet set status = 'Suspended' where wallet_id = $1", [
        ofWallet,
      ]),
    /** As a collection that comes back takes them: whatever is held. */
    takeAllFunds: (ofWallet: string): Promise<number> =>
      read().execute("update borsello.bucket set balance_cents = 0 where wallet_id = $1", [
        ofWallet,
      ]),
    ...{ storeId, walletId, partyOf, body, simulation, fund, pending, set, group, changed },
    inFlight,
  };
};

export type OperationStates = ReturnType<typeof operationStates>;
