/** A wallet's contract: signature requested, signed document stored, declined; each step once. */
import { z } from "zod";
import { Wallet } from "../../contracts/wallet/wallets.js";
import { success, type Outcome } from "../../domain/outcome.js";
import { isSamePerson } from "../../domain/wallet/same-person.js";
import type { Database, Queryable } from "../platform/database.js";
import { active, lockWallet, type Actor, type WalletRefusal } from "../access/wallet-access.js";

const Contract = z.object({
  walletId: z.string(),
  partnerKey: z.string(),
  attempt: z.int(),
  status: z.enum(["Signing", "Signed", "Declined", "Closed"]),
  requestedAt: z.date(),
  signedAt: z.date().nullable(),
  documentKey: z.string().nullable(),
  feedback: z.string().nullable(),
});
/** A wallet whose contract nobody asked to sign has none. */
export type Contract = z.infer<typeof Contract>;

const columns = `wallet_id as "walletId", partner_key as "partnerKey", attempt, status,
  requested_at as "requestedAt", signed_at as "signedAt", document_key as "documentKey", feedback`;

/** Where the sealed PDF of this signature is kept. */
export const contractDocumentKey = (walletId: string, attempt: number): string =>
  `contract/${walletId}/${attempt}`;

export const findContract = (
  database: Queryable,
  walletId: string,
): Promise<Contract | undefined> =>
  database.row(Contract, `select ${columns} from borsello.contract where wallet_id = $1`, [
    walletId,
  ]);

/** The holder's data that a contract shows, as they were when its signature was asked for. */
export const ContractHolder = Wallet.pick({
  ...{ walletId: true, partnerKey: true, firstName: true, lastName: true, taxId: true },
  ...{ addressStreet: true, addressNumber: true, zipCode: true, city: true, province: true },
  ...{ country: true, phoneNumber: true, email: true, iban: true },
});

const WantedContract = z.object({
  holder: ContractHolder,
  template: z.string().nullable(),
});
/** With the document of the partner's template. */
export type WantedContract = z.infer<typeof WantedContract>;

/** What this signature is for; undefined once it is over otherwise, or replaced. */
export const findWantedContract = (
  database: Queryable,
  { walletId, attempt }: { readonly walletId: string; readonly attempt: number },
): Promise<WantedContract | undefined> =>
  database.row(
    WantedContract,
    `select coalesce(c.holder, borsello.contract_holder(w)) as holder,
       p.settings #>> '{contract,template}' as template
     from borsello.wallet as w join borsello.contract as c using (wallet_id)
     join borsello.partner as p on p.partner_key = w.partner_key
     where w.wallet_id = $1 and c.attempt = $2 and c.status in ('Signing', 'Signed')`,
    [walletId, attempt],
  );

/** Null: nothing is known of a contract from before the data were kept. */
const Signed = z.object({ signed: ContractHolder.nullable(), holder: ContractHolder });

/** Whether the contract that is signed shows another person than the wallet's holder of this moment. */
const isOfAnother = async (tx: Queryable, walletId: string): Promise<boolean> => {
  const found = await tx.row(
    Signed,
    `select c.holder as signed, borsello.contract_holder(w) as holder
     from borsello.contract as c join borsello.wallet as w using (wallet_id)
     where wallet_id = $1 and c.status = 'Signed'`,
    [walletId],
  );
  return found?.signed != null && !isSamePerson(found.signed, found.holder);
};

const startSigning = `
  with before as (select status from borsello.contract where wallet_id = $1), changed as (
    insert into borsello.contract as contract (wallet_id, partner_key, attempt, status, holder)
    select $1, $3, 1, 'Signing', borsello.contract_holder(w)
    from borsello.wallet as w where wallet_id = $1
    -- What was signed before stays readable until the new signature takes its place.
    on conflict (wallet_id) do update set status = 'Signing', attempt = contract.attempt + 1,
      holder = excluded.holder, requested_at = borsello.platform_now(), declined_at = null,
      feedback = null
    where contract.status in ('Declined', 'Closed') or contract.status = 'Signed' and $4
    returning *
  )
  select ${columns}, borsello.record_contract_change(
    changed::borsello.contract, $2, 'requestSignature', (select status from before), 'ContractSignRequested')
  from changed`;

/** Asks for the signature unless it is under way or done by the same person; answers how far it is. */
export const requestSignature = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<Contract, WalletRefusal | "WalletNotActive">> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const open = active(locked.value);
    if (!open.ok) return open;
    const started = await tx.row(Contract, startSigning, [
      walletId,
      actor.clientId,
      actor.partnerKey,
      await isOfAnother(tx, walletId),
    ]);
    const contract = started ?? (await findContract(tx, walletId));
    if (contract === undefined) throw new Error("A contract is neither there nor to be made.");
    return success(contract);
  });

/** Signing → Signed for this attempt; false when it was declined or replaced meanwhile. */
export const storeSignedContract = async (
  database: Database,
  walletId: string,
  attempt: number,
  documentKey: string,
): Promise<boolean> => {
  const signed = await database.command(
    Contract,
    `with changed as (
       update borsello.contract set status = 'Signed', document_key = $4, feedback = null,
         signed_at = borsello.platform_now()
       where wallet_id = $1 and attempt = $3 and status = 'Signing'
       returning *
     )
     select ${columns}, borsello.record_contract_change(
       changed::borsello.contract, $2, 'sign', 'Signing', 'ContractSigned')
     from changed`,
    [walletId, "platform", attempt, documentKey],
  );
  const contract = signed ?? (await findContract(database, walletId));
  return contract?.status === "Signed" && contract.attempt === attempt;
};

const declineSigning = `
  with before as (select status from borsello.contract where wallet_id = $1), changed as (
    insert into borsello.contract as contract
      (wallet_id, partner_key, attempt, status, feedback, declined_at)
    select wallet_id, partner_key, 1, 'Declined', $3, borsello.platform_now()
    from borsello.wallet where wallet_id = $1
    on conflict (wallet_id) do update set status = 'Declined', feedback = excluded.feedback,
      declined_at = excluded.declined_at
    where contract.status in ('Signing', 'Closed')
    returning *
  )
  select ${columns}, borsello.record_contract_change(
    changed::borsello.contract, $2, 'decline', (select status from before), 'ContractDeclined')
  from changed`;

/** The customer does not sign; nothing changes once the contract is signed or declined. */
export const declineContract = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<Contract, WalletRefusal | "WalletNotActive">> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const open = active(locked.value);
    if (!open.ok) return open;
    const why = "The customer declined the contract.";
    const declined = await tx.row(Contract, declineSigning, [walletId, actor.clientId, why]);
    const contract = declined ?? (await findContract(tx, walletId));
    if (contract === undefined) throw new Error("A contract is neither there nor to be made.");
    return success(contract);
  });
