/** A wallet's mandate: found, initialised, changed under the wallet's lock (contract 4.3). */
import { z } from "zod";
import { Mandate, mandateFrequencies } from "../../contracts/mandates/mandates.js";
import { MandateTerms } from "../../contracts/mandates/terms.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { uuidv7 } from "../../platform/ids.js";
import { lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";
import { uniqueViolation, type Database, type Queryable } from "../platform/database.js";

const StoredMandate = z.object({
  mandate: Mandate,
  terms: MandateTerms,
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
export const mandateColumns = `borsello.mandate_record(m) as mandate,
  json_build_object('debtorTaxId', (m).debtor_tax_id, 'debtorBic', (m).debtor_bic,
    'zipCode', (m).zip_code, 'province', (m).province, 'country', (m).country,
    'creditorIdentifier', (m).creditor_identifier, 'creditorName', (m).creditor_name,
    'creditorAddress', (m).creditor_address, 'preNotificationDays', (m).pre_notification_days,
    'signatureDate', borsello.rome_date((m).sign_requested_at)) as terms,
  (m).sign_attempt as "signAttempt", (m).sign_requested_at as "signRequestedAt",
  (m).document_key as "documentKey"`;

/** The row of a statement that answers `mandateColumns`. */
export const readMandateRow = (
  tx: Queryable,
  statement: string,
  values: readonly unknown[],
): Promise<StoredMandate | undefined> => tx.row(StoredMandate, statement, values);

export const findMandate = (
  database: Queryable,
  mandateId: string,
): Promise<StoredMandate | undefined> =>
  readMandateRow(
    database,
    `select ${mandateColumns} from borsello.mandate as m where mandate_id = $1`,
    [mandateId],
  );

/** The wallet's current mandate: the one made last, open or over. */
export const findCurrentMandate = (
  database: Queryable,
  walletId: string,
): Promise<StoredMandate | undefined> =>
  readMandateRow(
    database,
    `select ${mandateColumns} from borsello.mandate as m
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
  select ${mandateColumns},
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
      const made = await readMandateRow(tx, insertMandate, [
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
export type Change = (tx: Queryable, current: Mandate) => Promise<StoredMandate | undefined>;

const changeOf = async (
  tx: Queryable,
  walletId: string,
  change: Change,
): Promise<Outcome<StoredMandate, "MandateNotFound" | "MandateStatusInvalid">> => {
  const current = await findCurrentMandate(tx, walletId);
  if (current === undefined) return refusal("MandateNotFound", { walletId });
  const changed = await change(tx, current.mandate);
  if (changed !== undefined) return success(changed);
  // A flow may have changed it meanwhile: flows do not lock the wallet.
  const found = (await findMandate(tx, current.mandate.mandateId)) ?? current;
  return refusal("MandateStatusInvalid", { mandateStatus: found.mandate.status });
};

/** Changes the wallet's current mandate, in whatever state the wallet is. */
export const changeCurrent = (
  database: Database,
  actor: Actor,
  walletId: string,
  change: Change,
): Promise<Outcome<StoredMandate, MandateRefusal>> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    return locked.ok ? changeOf(tx, walletId, change) : locked;
  });

/** The same for what only an active wallet may do. */
export const changeCurrentOfActive = (
  database: Database,
  actor: Actor,
  walletId: string,
  change: Change,
): Promise<Outcome<StoredMandate, MandateRefusal | "WalletNotActive">> =>
  database.transaction(
    async (tx): Promise<Outcome<StoredMandate, MandateRefusal | "WalletNotActive">> => {
      const locked = await lockWallet(tx, actor, walletId);
      if (!locked.ok) return locked;
      const { status } = locked.value;
      return status === "Active"
        ? changeOf(tx, walletId, change)
        : refusal("WalletNotActive", { status });
    },
  );
