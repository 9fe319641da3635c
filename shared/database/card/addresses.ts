/** An account's address: read, update. */
import { z } from "zod";
import type { AddressUpdate } from "../../contracts/card/addresses.js";
import { Address } from "../../contracts/card/fields.js";
import { success, type Outcome } from "../../domain/outcome.js";
import { whyNoAddress, type AddressRefusal } from "../access/card-access.js";
import type { Actor, Reader } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { refusedFor } from "./refused.js";

const Found = z.object({ address: Address });

export const findAddress = async (
  database: Queryable,
  reader: Reader,
  addressId: string,
): Promise<Outcome<Address, AddressRefusal>> => {
  const found = await database.row(
    Found,
    `select borsello.card_address_record(d) as address from borsello.card_address as d
     where address_id = $1 and ($3 or partner_key = $2)`,
    [addressId, reader.partnerKey, reader.isOperator],
  );
  return found === undefined
    ? refusedFor(whyNoAddress(database, reader, addressId), "AddressNotFound")
    : success(found.address);
};

const writeAddress = `
  with changed as (
    update borsello.card_address as d
    set type = $4, country_code = $5, line1 = $6, line2 = $7, line3 = $8, city = $9,
      post_office = $10, zip_code = $11, province = $12, external_reference = $13,
      version = version + 1, last_update_date = borsello.platform_now()
    where address_id = $1 and partner_key = $2 returning d
  )
  select borsello.card_address_record(d) as address, borsello.record_card_address_update(d, $3)
  from changed`;

export const updateAddress = async (
  database: Database,
  actor: Actor,
  addressId: string,
  update: AddressUpdate,
): Promise<Outcome<Address, AddressRefusal>> => {
  const { partnerKey, clientId } = actor;
  const { type, countryCode, line1, line2, line3, city } = update;
  const { postOffice, zipCode, province, externalReference } = update;
  const updated = await database.command(Found, writeAddress, [
    ...[addressId, partnerKey, clientId, type, countryCode, line1, line2, line3, city],
    ...[postOffice, zipCode, province, externalReference],
  ]);
  return updated === undefined
    ? refusedFor(
        whyNoAddress(database, { partnerKey, isOperator: false }, addressId),
        "AddressNotFound",
      )
    : success(updated.address);
};
