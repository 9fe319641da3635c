/** Ends a mandate on somebody's word: cancelled where the bank was never asked for it, else revoked there. */
import { z } from "zod";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import type { Outcome } from "../../domain/outcome.js";
import { changeCurrent, findMandate, type MandateRefusal, type StoredMandate } from "./mandates.js";

const Disabled = z.object({ isDisabled: z.boolean() });

/** A wallet's or a store's. False: its status does not allow it, and nothing happened. */
export const disableMandate = async (
  tx: Queryable,
  { clientId }: Pick<Actor, "clientId">,
  mandateId: string,
): Promise<boolean> => {
  const found = await tx.row(Disabled, `select borsello.disable_mandate($1, $2) as "isDisabled"`, [
    mandateId,
    clientId,
  ]);
  return found?.isDisabled ?? false;
};

/** In whatever state the wallet is. */
export const requestDisable = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<StoredMandate, MandateRefusal>> =>
  changeCurrent(database, actor, walletId, async (tx, { mandateId }) =>
    (await disableMandate(tx, actor, mandateId)) ? findMandate(tx, mandateId) : undefined,
  );

/** Disables the wallet's mandate where one is open; the caller holds the wallet's row. */
export const disableOpenMandate = (
  tx: Queryable,
  { clientId }: Pick<Actor, "clientId">,
  walletId: string,
): Promise<number> =>
  tx.execute("select borsello.disable_open_mandate($1, $2)", [walletId, clientId]);
