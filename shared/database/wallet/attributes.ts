/** The command that changes a wallet's names, phone number, residence and metadata. */
import { z } from "zod";
import { Wallet } from "../../contracts/wallet/wallets.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { namesFault } from "../../domain/wallet/names.js";
import { isZipCodeSound } from "../../domain/wallet/residence.js";
import { lockWallet, notClosed, type Actor, type WalletRefusal } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import { followIdentity } from "./identity.js";

const Changed = z.object({ wallet: Wallet });

const residenceColumns = {
  addressStreet: "address_street",
  addressNumber: "address_number",
  zipCode: "zip_code",
  city: "city",
  province: "province",
  country: "country",
} as const;
type ResidenceField = keyof typeof residenceColumns;

export interface AttributesUpdate extends Readonly<
  Partial<Record<ResidenceField, string | null | undefined>>
> {
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** $6 holds the given fields by column name: a column that is not in it stays as it is. */
const writeAttributes = `
  with before as (
    select address_street, address_number, zip_code, city, province, country
    from borsello.wallet where wallet_id = $1
  ), changed as (
    update borsello.wallet as w set first_name = $3, last_name = $4, phone_number = $5,
      address_street = case when $6::jsonb ? 'address_street' then $6::jsonb ->> 'address_street'
        else w.address_street end,
      address_number = case when $6::jsonb ? 'address_number' then $6::jsonb ->> 'address_number'
        else w.address_number end,
      zip_code = case when $6::jsonb ? 'zip_code' then $6::jsonb ->> 'zip_code'
        else w.zip_code end,
      city = case when $6::jsonb ? 'city' then $6::jsonb ->> 'city'
        else w.city end,
      province = case when $6::jsonb ? 'province' then $6::jsonb ->> 'province'
        else w.province end,
      country = case when $6::jsonb ? 'country' then $6::jsonb ->> 'country'
        else w.country end,
      metadata = case when $7 then $8::json else w.metadata end,
      version = version + 1, last_update_date = borsello.platform_now()
    where wallet_id = $1 returning w
  ), compared as (
    select w, ((w).address_street, (w).address_number, (w).zip_code, (w).city, (w).province,
        (w).country)
      is distinct from (before.address_street, before.address_number, before.zip_code, before.city,
        before.province, before.country) as moved
    from changed, before
  )
  select borsello.wallet_record(w) as wallet, borsello.record_wallet_change(w, $2,
    'updateAttributes', 'WalletAttributesUpdated', borsello.wallet_attributes_event(w, moved))
  from compared`;

const Kept = z.object({
  firstName: z.string(),
  lastName: z.string(),
  zipCode: z.string().nullable(),
  country: z.string().nullable(),
});
type Kept = z.infer<typeof Kept>;

const selectKept = `
  select first_name as "firstName", last_name as "lastName", zip_code as "zipCode", country
  from borsello.wallet where wallet_id = $1`;

/** A postal code is looked at together with the country that it will stand beside, given or kept. */
const placeFault = (
  { zipCode, country }: AttributesUpdate,
  kept: Kept,
): Outcome<null, "ValidationFailed"> => {
  const place = {
    zipCode: zipCode === undefined ? kept.zipCode : zipCode,
    country: country === undefined ? kept.country : country,
  };
  return (zipCode === undefined && country === undefined) || isZipCodeSound(place)
    ? success(null)
    : refusal("ValidationFailed", { "/zipCode": "must be five digits where the country is IT." });
};

export type UpdateAttributesRefusal =
  WalletRefusal | "WalletNotActive" | "NamesDoNotMatchTaxId" | "ValidationFailed";

/** The names must lead to the tax id that the wallet has at this moment. */
export const updateAttributes = (
  database: Database,
  actor: Actor,
  walletId: string,
  update: AttributesUpdate,
): Promise<Outcome<Wallet, UpdateAttributesRefusal>> =>
  database.transaction(async (tx) => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const open = notClosed(locked.value);
    if (!open.ok) return open;
    const kept = await tx.row(Kept, selectKept, [walletId]);
    if (kept === undefined) throw new Error("A locked wallet was gone before its change.");
    const place = placeFault(update, kept);
    if (!place.ok) return place;
    const fault = namesFault(locked.value.taxId, update.firstName, update.lastName);
    if (fault !== undefined) return refusal("NamesDoNotMatchTaxId", { [fault]: update[fault] });
    const given = Object.entries(residenceColumns).flatMap(([field, column]) => {
      const value = update[field as ResidenceField];
      return value === undefined ? [] : [[column, value]];
    });
    const changed = await tx.row(Changed, writeAttributes, [
      walletId,
      actor.clientId,
      update.firstName,
      update.lastName,
      update.phoneNumber,
      JSON.stringify(Object.fromEntries(given)),
      update.metadata !== undefined,
      update.metadata == null ? null : JSON.stringify(update.metadata),
    ]);
    if (changed === undefined) throw new Error("A locked wallet was gone before its change.");
    const { firstName, lastName } = update;
    return success(
      firstName === kept.firstName && lastName === kept.lastName
        ? changed.wallet
        : await followIdentity(tx, actor, walletId),
    );
  });
