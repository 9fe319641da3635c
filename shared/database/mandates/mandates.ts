/** A wallet's mandate: initialise, fill, sign, disable on the partner's word (contract 4.3). */
import { z } from "zod";
import { Mandate, mandateFrequencies } from "../../contracts/mandates/mandates.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { uuidv7 } from "../../platform/ids.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";
import { disabling, transition } from "./transitions.js";
import { lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";

const StoredMandate = z.object({
  mandate: Mandate,
  /** Which signature; 0: none was asked for yet. */
  signAttempt: z.int(),
  /** Null: no signature is under way. */
  signRequestedAt: z.date().nullable(),
  /** The sealed PDF of the last finished signature. */
  documentKey: z.string().nullable(),
});
/** A mandate with what its record does not show. */
export type StoredMandate = z.infer<typeof StoredMandate>;

/** Where the sealed PDF of this signature is kept. */
export const mandateDocumentKey = (mandateId: string, signAttempt: number): string =>
  `mandate/${mandateId}/${signAttempt}`;

/** Of the mandate `m`, a row of the table or what a change has made of it. */
const columns = `borsello.mandate_record(m) as mandate, (m).sign_attempt as "signAttempt",
  (m).sign_requested_at as "signRequestedAt", (m).document_key as "documentKey"`;

export const findMandate = (
  database: Queryable,
  mandateId: string,
): Promise<StoredMandate | undefined> =>
  database.row(
    StoredMandate,
    `select ${columns} from borsello.mandate as m where mandate_id = $1`,
    [mandateId],
  );

/** The wallet's current mandate: the one made last, open or over. */
export const findCurrentMandate = (
  database: Queryable,
  walletId: string,
): Promise<StoredMandate | undefined> =>
  database.row(
    StoredMandate,
    `select ${columns} from borsello.mandate as m
     where wallet_id = $1 order by mandate_id desc limit 1`,
    [walletId],
  );

export interface NewMandate {
  readonly amountCents: bigint;
  readonly frequency: (typeof mandateFrequencies)[number];
}

/** As the scheme asks: at most 35 characters, unique for the creditor. */
export const uniqueReferenceOf = (mandateId: string): string =>
  `BRS${mandateId.replaceAll("-", "").toUpperCase()}`;

const insertMandate = `
  with made as (
    insert into borsello.mandate as m (mandate_id, wallet_id, partner_key,
      mandate_unique_reference, debtor_name, debtor_iban, amount_cents, frequency, address_street,
      city)
    select $3, wallet_id, partner_key, $4, first_name || ' ' || last_name, iban, $5, $6,
      nullif(concat_ws(' ', address_street, address_number), ''), city
    from borsello.wallet where wallet_id = $1
    returning m
  )
  select ${columns},
    borsello.record_mandate_change(m, $2, 'initialise', null, 'MandateInitialised') from made`;

type InitialiseRefusal =
  WalletRefusal | "WalletNotActive" | "IbanNotValidated" | "MandateAlreadyPresent";

export const initialiseMandate = async (
  database: Database,
  actor: Actor,
  walletId: string,
  { amountCents, frequency }: NewMandate,
): Promise<Outcome<Mandate, InitialiseRefusal>> => {
  const mandateId = uuidv7();
  try {
    return await database.transaction(async (tx): Promise<Outcome<Mandate, InitialiseRefusal>> => {
      const locked = await lockWallet(tx, actor, walletId);
      if (!locked.ok) return locked;
      const { status, iban, isIbanValidated } = locked.value;
      if (status !== "Active") return refusal("WalletNotActive", { status });
      if (!isIbanValidated) return refusal("IbanNotValidated", { iban: iban ?? "is not set." });
      const made = await tx.row(StoredMandate, insertMandate, [
        walletId,
        actor.clientId,
        mandateId,
        uniqueReferenceOf(mandateId),
        amountCents,
        frequency,
      ]);
      if (made === undefined) throw new Error("A locked wallet was gone before its mandate.");
      return success(made.mandate);
    });
  } catch (error) {
    if (uniqueViolation(error) !== "mandate_one_open") throw error;
    const open = await findCurrentMandate(database, walletId);
    return refusal("MandateAlreadyPresent", open && { mandateStatus: open.mandate.status });
  }
};

export type MandateRefusal = WalletRefusal | "MandateNotFound" | "MandateStatusInvalid";

/** The changed mandate; undefined where its status does not allow the change. */
type Change = (tx: Queryable, current: Mandate) => Promise<StoredMandate | undefined>;

/** Changes the wallet's current mandate. */
const changeCurrent = (
  database: Database,
  actor: Actor,
  walletId: string,
  change: Change,
): Promise<Outcome<StoredMandate, MandateRefusal>> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const current = await findCurrentMandate(tx, walletId);
    if (current === undefined) return refusal("MandateNotFound", { walletId });
    const changed = await change(tx, current.mandate);
    if (changed !== undefined) return success(changed);
    // A flow may have changed it meanwhile: flows do not lock the wallet.
    const found = (await findMandate(tx, current.mandate.mandateId)) ?? current;
    return refusal("MandateStatusInvalid", { mandateStatus: found.mandate.status });
  });

const fill = `
  with changed as (
    update borsello.mandate as m set status = 'Filled', fill_date = borsello.platform_now(),
      (address_street, city) = (
        select nullif(concat_ws(' ', w.address_street, w.address_number), ''), w.city
        from borsello.wallet as w where w.wallet_id = m.wallet_id)
    where mandate_id = $1 and status in ('Draft', 'Filled')
    returning m, old.status as status_before
  )
  select ${columns}, borsello.record_mandate_change(m, $2, 'fill', status_before) from changed`;

/** Address and city are taken from the wallet again; the debtor stays the one of the initialisation. */
export const fillMandate = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<StoredMandate, MandateRefusal>> =>
  changeCurrent(database, actor, walletId, (tx, { mandateId }) =>
    tx.row(StoredMandate, fill, [mandateId, actor.clientId]),
  );

const requestSignature = `
  with changed as (
    update borsello.mandate as m
    set sign_attempt = sign_attempt + (sign_requested_at is null)::integer,
      sign_requested_at = coalesce(sign_requested_at, borsello.platform_now())
    where mandate_id = $1 and status = 'Filled'
    returning m, old.status as status_before
  )
  select ${columns}, borsello.record_mandate_change(
    m, $2, 'requestSignature', status_before, 'MandateSigned')
  from changed`;

/** The mandate stays Filled until the flow has sealed its PDF; asking again is no second signature. */
export const requestMandateSignature = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<StoredMandate, MandateRefusal>> =>
  changeCurrent(database, actor, walletId, (tx, { mandateId }) =>
    tx.row(StoredMandate, requestSignature, [mandateId, actor.clientId]),
  );

export const requestDisable = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<StoredMandate, MandateRefusal>> =>
  changeCurrent(database, actor, walletId, async (tx, { mandateId, status }) =>
    (await transition(tx, disabling(status), mandateId, actor.clientId))
      ? findMandate(tx, mandateId)
      : undefined,
  );

/** Disables the wallet's mandate where one is open; the caller holds the wallet's row. */
export const disableOpenMandate = (
  tx: Queryable,
  { clientId }: Pick<Actor, "clientId">,
  walletId: string,
): Promise<number> =>
  tx.execute("select borsello.disable_open_mandate($1, $2)", [walletId, clientId]);
