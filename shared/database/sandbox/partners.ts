/** The partners that exist outside production from the first start (contract.md 0.2). */
import { randomBytes } from "node:crypto";
import { operatorRoles, roles, type Role } from "../../contracts/roles.js";
import type { GivenPartnerSettings } from "../../contracts/platform/partner-settings.js";
import { hashSecret } from "../../platform/secrets.js";
import type { Queryable } from "../platform/database.js";

interface SandboxPartner {
  readonly partnerKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authKey: string;
  /** For documents: what a developer chooses it for. */
  readonly may: string;
  readonly roles: readonly Role[];
  readonly isOperator: boolean;
  readonly dealers: readonly string[];
  readonly settings: GivenPartnerSettings & {
    readonly ibanVerification: { readonly destinationIban: string };
  };
}

/** Where a partner's contract template lies that the sandbox makes when it is first asked for. */
export const sandboxTemplateKey = (partnerKey: string): string =>
  `contract-template/sandbox/${partnerKey}`;

const contractOf = (partnerKey: string) => ({ template: sandboxTemplateKey(partnerKey) });

/** Whose template it is; undefined for one that the sandbox does not make. */
export const sandboxTemplatePartner = (documentKey: string): string | undefined =>
  sandboxPartners.find(({ partnerKey }) => documentKey === sandboxTemplateKey(partnerKey))
    ?.partnerKey;

const partnerRoles = roles.filter((role) => !operatorRoles.includes(role));
const readRoles = roles.filter((role) => role.endsWith(".Read"));

/** The partner's accounts at the bank: the one that others pay to, and the one for customers' funds. */
const accounts = (destinationIban: string, safeguardingAccount: string) => ({
  ibanVerification: { destinationIban },
  settlement: { safeguardingAccount },
});

/** By whose name customers' accounts are debited. */
const creditor = (identifier: string, name: string, address: string) => ({
  creditor: { identifier, name, address },
});

export const sandboxPartners: readonly SandboxPartner[] = [
  {
    partnerKey: "acme",
    clientId: "acme-client",
    clientSecret: "acme-local-secret",
    authKey: "acme-local-authkey",
    may: "Everything but Ticket.Operate; its onboardings end once the mandate is active.",
    roles: partnerRoles,
    isOperator: false,
    dealers: ["dealer-rome", "dealer-milan"],
    settings: {
      activationFlowEnabled: true,
      onboarding: { mandate: "required" },
      ...accounts("IT83X0999903200ACME00000001", "IT92Y0999903200ACME00000002"),
      ...creditor("IT91ZZZACME000000000001", "Acme", "Via Appia 1, 00179 Roma, IT"),
    },
  },
  {
    partnerKey: "globex",
    clientId: "globex-client",
    clientSecret: "globex-local-secret",
    authKey: "globex-local-authkey",
    may: "Everything but Ticket.Operate; its onboardings end with or without a mandate.",
    roles: partnerRoles,
    isOperator: false,
    dealers: ["dealer-turin"],
    settings: {
      activationFlowEnabled: true,
      onboarding: { mandate: "optional" },
      ...accounts("IT42P0999903200GLOBEX000001", "IT26Q0999903200GLOBEX000002"),
      ...creditor("IT40ZZZGLOBEX0000000001", "Globex", "Via Po 1, 10123 Torino, IT"),
    },
  },
  {
    partnerKey: "initech",
    clientId: "initech-client",
    clientSecret: "initech-local-secret",
    authKey: "initech-local-authkey",
    may: "Reads only; the contract activation flow is not enabled.",
    roles: readRoles,
    isOperator: false,
    dealers: ["dealer-bari"],
    settings: {
      activationFlowEnabled: false,
      onboarding: { mandate: "none" },
      ...accounts("IT14Q0999903200INITECH00001", "IT97R0999903200INITECH00002"),
      ...creditor("IT12ZZZINITECH000000001", "Initech", "Via Sparano 1, 70121 Bari, IT"),
    },
  },
  {
    partnerKey: "umbrella",
    clientId: "umbrella-client",
    clientSecret: "umbrella-local-secret",
    authKey: "umbrella-local-authkey",
    may: "Everything but Ticket.Operate; the contract activation flow is not enabled.",
    roles: partnerRoles,
    isOperator: false,
    dealers: ["dealer-genoa"],
    settings: {
      activationFlowEnabled: false,
      onboarding: { mandate: "none" },
      ...accounts("IT96N0999903200UMBRELLA0001", "IT05O0999903200UMBRELLA0002"),
      ...creditor("IT21ZZZUMBRELLA00000001", "Umbrella", "Via Garibaldi 1, 16124 Genova, IT"),
    },
  },
  {
    partnerKey: "platform",
    clientId: "operator-client",
    clientSecret: "operator-local-secret",
    authKey: "operator-local-authkey",
    may: "For operators of the platform: reads every partner's data, works on tickets, notifications and flows.",
    roles: [
      ...readRoles,
      "Ticket.Operate",
      "Operation.Write",
      "Accounting.Write",
      "Flow.Trigger",
      "Sandbox.Use",
    ],
    isOperator: true,
    dealers: [],
    settings: {
      activationFlowEnabled: true,
      onboarding: { mandate: "optional" },
      ...accounts("IT19W0999903200BORSELLO0001", "IT25X0999903200BORSELLO0002"),
    },
  },
];

/** Of instances that start at once, those that lose the race over either key insert nothing. */
const insertPartner = `
  with partner as (
    insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
      auth_key_salt, auth_key_hash, roles, is_operator, settings)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict do nothing
    returning partner_key
  )
  insert into borsello.dealer (partner_key, dealer_key)
  select partner_key, dealer_key from partner, unnest($10::text[]) as dealer_key`;

/** A database that is older than the partners' own accounts gets them; one that was set stays. */
const fillAccount = `
  update borsello.partner set settings = settings || jsonb_build_object('ibanVerification',
    coalesce(settings -> 'ibanVerification', '{}') || jsonb_build_object('destinationIban', $2::text))
  where partner_key = $1 and settings #> '{ibanVerification,destinationIban}' is null`;

/** The same for a whole part of the settings, `$2`: who collects by mandates, the contract's template. */
const fillPart = `
  update borsello.partner set settings = settings || jsonb_build_object($2::text, $3::jsonb)
  where partner_key = $1 and $3::jsonb is not null and settings -> $2 is null`;

/** Inserts what is missing; what was changed since the first start stays as it is. */
export const seedSandboxPartners = async (queryable: Queryable): Promise<void> => {
  for (const partner of sandboxPartners) {
    const secretSalt = randomBytes(16);
    const authKeySalt = randomBytes(16);
    await queryable.execute(insertPartner, [
      partner.partnerKey,
      partner.clientId,
      secretSalt,
      hashSecret(partner.clientSecret, secretSalt),
      authKeySalt,
      hashSecret(partner.authKey, authKeySalt),
      partner.roles,
      partner.isOperator,
      JSON.stringify({ contract: contractOf(partner.partnerKey), ...partner.settings }),
      partner.dealers,
    ]);
    await queryable.execute(fillAccount, [
      partner.partnerKey,
      partner.settings.ibanVerification.destinationIban,
    ]);
    const { creditor: collecting = null } = partner.settings;
    const parts = { creditor: collecting, contract: contractOf(partner.partnerKey) };
    for (const [name, part] of Object.entries(parts))
      await queryable.execute(fillPart, [
        partner.partnerKey,
        name,
        part === null ? null : JSON.stringify(part),
      ]);
  }
};
