/** Adds a partner: what is its own alone is looked at first, and once more with the row. */
import { z } from "zod";
import type { GivenPartnerSettings } from "../../contracts/platform/partner-settings.js";
import type { HashedSecret } from "../../platform/secrets.js";
import { partnersMax } from "../access/partners.js";
import type { Database, Queryable } from "../platform/database.js";
import { auditPartner } from "./audit.js";

export interface NewPartner {
  readonly partnerKey: string;
  readonly clientId: string;
  readonly roles: readonly string[];
  readonly isOperator: boolean;
  readonly dealers: readonly string[];
  readonly settings: GivenPartnerSettings;
}

export interface PartnerSecrets {
  readonly authKey: HashedSecret;
  /** Null: another identity provider issues its tokens. */
  readonly clientSecret: HashedSecret | null;
}

const Taken = z.object({
  clientOf: z.string().nullable(),
  operator: z.string().nullable(),
  isThere: z.boolean(),
  partners: z.int(),
});

/** Dealers that are another partner's, as sentences. */
export const dealerFaults = async (
  queryable: Queryable,
  partnerKey: string,
  dealers: readonly string[],
): Promise<string[]> => {
  const taken = await queryable.rows(
    z.object({ dealerKey: z.string(), of: z.string() }),
    `select dealer_key as "dealerKey", partner_key as "of" from borsello.dealer
     where dealer_key = any ($2) and partner_key <> $1 order by dealer_key`,
    [partnerKey, dealers],
  );
  return taken.map(({ dealerKey, of }) => `The dealer ${dealerKey} is ${of}'s.`);
};

/** Whose collection account this is already: what arrives there must be one partner's. */
export const collectionFaults = async (
  queryable: Queryable,
  partnerKey: string,
  settings: GivenPartnerSettings,
): Promise<string[]> => {
  const iban = settings.ibanVerification?.destinationIban ?? null;
  if (iban === null) return [];
  const owners = await queryable.rows(
    z.object({ of: z.string() }),
    `select partner_key as "of" from borsello.partner as p
     where borsello.collection_account(p) = borsello.account_key($2) and partner_key <> $1
     order by partner_key limit 1`,
    [partnerKey, iban],
  );
  return owners.map(({ of }) => `The collection account ${iban} is ${of}'s.`);
};

/** What speaks against a new partner, as sentences. */
export const registrationFaults = async (
  queryable: Queryable,
  { partnerKey, clientId, isOperator, dealers, settings }: NewPartner,
): Promise<string[]> => {
  const taken = await queryable.row(
    Taken,
    `select (select partner_key from borsello.partner where client_id = $1) as "clientOf",
       borsello.operating_partner() as operator,
       exists (select from borsello.partner where partner_key = $2) as "isThere",
       (select count(*)::int from borsello.partner) as partners`,
    [clientId, partnerKey],
  );
  // Of two who add it at once.
  if (taken?.isThere === true) return [`${partnerKey} is there by now: run this again.`];
  return [
    ...(taken?.clientOf == null ? [] : [`The client id ${clientId} is ${taken.clientOf}'s.`]),
    // What arrives for nobody lies in the operators' books: these must not become another's.
    ...(!isOperator || taken?.operator == null ? [] : [`${taken.operator} is the operator.`]),
    ...((taken?.partners ?? 0) < partnersMax
      ? []
      : [`There are ${partnersMax} partners, and may be no more.`]),
    ...(await dealerFaults(queryable, partnerKey, dealers)),
    ...(await collectionFaults(queryable, partnerKey, settings)),
  ];
};

/** Administrators take turns, so that no two give away the same; calls go on meanwhile. */
export const lockPartners = (tx: Queryable): Promise<number> =>
  tx.execute("lock table borsello.partner in share row exclusive mode");

export const addDealers = (
  tx: Queryable,
  partnerKey: string,
  dealers: readonly string[],
): Promise<number> =>
  tx.execute(
    `insert into borsello.dealer (partner_key, dealer_key)
     select $1, dealer_key from unnest($2::text[]) as dealer_key on conflict do nothing`,
    [partnerKey, dealers],
  );

/** The sentences that speak against it; none: the partner is there from now on. */
export const registerPartner = (
  database: Database,
  partner: NewPartner,
  { authKey, clientSecret }: PartnerSecrets,
): Promise<string[]> =>
  database.transaction(async (tx) => {
    await lockPartners(tx);
    const faults = await registrationFaults(tx, partner);
    if (faults.length > 0) return faults;
    const { partnerKey, clientId, roles, isOperator, dealers, settings } = partner;
    await tx.execute(
      `insert into borsello.partner (partner_key, client_id, client_secret_salt,
         client_secret_hash, auth_key_salt, auth_key_hash, roles, is_operator, settings)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        ...[partnerKey, clientId, clientSecret?.salt ?? null, clientSecret?.hash ?? null],
        ...[authKey.salt, authKey.hash, roles, isOperator, JSON.stringify(settings)],
      ],
    );
    await addDealers(tx, partnerKey, dealers);
    await auditPartner(tx, partnerKey, "add", { clientId, roles, isOperator, dealers, settings });
    return [];
  });

/** Gives a partner that is there more dealers; the sentences that speak against it. */
export const registerDealers = (
  database: Database,
  partnerKey: string,
  dealers: readonly string[],
): Promise<string[]> =>
  database.transaction(async (tx) => {
    await lockPartners(tx);
    const faults = await dealerFaults(tx, partnerKey, dealers);
    if (faults.length > 0) return faults;
    const added = await addDealers(tx, partnerKey, dealers);
    if (added > 0) await auditPartner(tx, partnerKey, "addDealers", { dealers });
    return [];
  });
