/** Adds a partner: topic, subscription and who may read it, then the row that lets its client call. */
import type { GivenPartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import {
  checkSettings,
  isObject,
  settingChanges,
} from "../../shared/contracts/platform/given-settings.js";
import { partnerName } from "../../shared/contracts/platform/partner-name.js";
import { operatorRoles, roles, type Role } from "../../shared/contracts/roles.js";
import { findRecord, type PartnerRecord } from "../../shared/database/partners/records.js";
import {
  dealerFaults,
  registerDealers,
  registerPartner,
  registrationFaults,
  type NewPartner,
} from "../../shared/database/partners/registration.js";
import { hashedSecret, newSecret } from "../../shared/platform/secrets.js";
import {
  refused,
  textOf,
  UsageError,
  type Command,
  type Given,
  type Report,
} from "../kit/command-line.js";
import { listOf, partnerOf, type Tools } from "./command.js";
import { giveReadingAccess } from "./reading-access.js";
import { readJson } from "./read-json.js";
import { withSetting } from "./setting-paths.js";

const options = {
  "client-id": { type: "string" },
  roles: { type: "string" },
  dealers: { type: "string" },
  operator: { type: "boolean" },
  "collection-iban": { type: "string" },
  "collection-owner": { type: "string" },
  "safeguarding-iban": { type: "string" },
  settings: { type: "string" },
} as const;

const help = [
  "NAME                 small letters, digits and single hyphens, at most 50: its topic has this name",
  "--client-id ID       its client in the directory; without: NAME-client, with a secret for the sandbox",
  "--roles LIST         Wallet.Read,Wallet.Write,…; all (the default) or read",
  "--dealers LIST       dealer keys; running this again adds the ones that are new",
  "--collection-iban I  where its customers pay to; --collection-owner says whose account that is",
  "--safeguarding-iban  its account for customers' funds",
  "--settings FILE      all settings, as JSON (docs/operating.md)",
  "--operator           the platform's own operators: may read every partner's, and operate tickets",
];

/** What keys of stores and lists of dealers take. */
const dealerKey = /^[\w.-]{1,255}$/;
const clientIdPattern = /^[\w.-]{1,255}$/;

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text);

const rolesOf = (given: Given, isOperator: boolean): readonly Role[] => {
  const text = textOf(given, "roles") ?? "all";
  const open = roles.filter((role) => isOperator || !operatorRoles.includes(role));
  if (text === "all") return open;
  if (text === "read") return open.filter((role) => role.endsWith(".Read"));
  const named = listOf(text);
  const unknown = named.find((role) => !isRole(role));
  if (unknown !== undefined)
    throw new UsageError(`There is no role ${unknown}: the roles are ${roles.join(", ")}.`);
  const wrong = named.filter(isRole).find((role) => !open.includes(role));
  if (wrong !== undefined) throw new UsageError(`${wrong} is for --operator alone.`);
  return named.filter(isRole);
};

const dealersOf = (given: Given): readonly string[] => {
  const dealers = [...new Set(listOf(textOf(given, "dealers") ?? ""))];
  const wrong = dealers.find((key) => !dealerKey.test(key));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" is no dealer key: letters, digits and any of . - _ are.`);
  return dealers;
};

const settingsOf = async (given: Given): Promise<GivenPartnerSettings> => {
  const file = textOf(given, "settings");
  const read = file === undefined ? {} : await readJson(file);
  if (!isObject(read)) throw new UsageError("The settings must be a JSON object.");
  const settings = Object.entries({
    "ibanVerification.destinationIban": textOf(given, "collection-iban"),
    "ibanVerification.destinationOwner": textOf(given, "collection-owner"),
    "settlement.safeguardingAccount": textOf(given, "safeguarding-iban"),
  }).reduce<Readonly<Record<string, unknown>>>(
    (all, [path, value]) => (value === undefined ? all : withSetting(all, path, value)),
    read,
  );
  const checked = checkSettings(settings);
  if (!checked.ok) throw new UsageError(checked.faults.join(" "));
  return checked.given;
};

const wantedOf = async (given: Given): Promise<NewPartner> => {
  const name = partnerName.safeParse(partnerOf(given));
  if (!name.success)
    throw new UsageError(`The NAME ${name.error.issues[0]?.message ?? "is wrong"}.`);
  const clientId = textOf(given, "client-id") ?? `${name.data}-client`;
  if (!clientIdPattern.test(clientId))
    throw new UsageError("--client-id must be letters, digits and any of . - _, at most 255.");
  const isOperator = given.values["operator"] === true;
  return {
    partnerKey: name.data,
    clientId,
    roles: rolesOf(given, isOperator),
    isOperator,
    dealers: dealersOf(given),
    settings: await settingsOf(given),
  };
};

/** Whether what is there is what is asked for; what was not said is as it is. */
const differences = (known: PartnerRecord, wanted: NewPartner, given: Given): string[] => {
  const { partnerKey, clientId } = known;
  if (known.removedAt !== null)
    return [`${partnerKey} was removed, and its books stay under this name: choose another name.`];
  const changes = settingChanges(known.settings, {
    ...known.settings,
    ...wanted.settings,
  });
  return [
    ...(textOf(given, "client-id") === undefined || clientId === wanted.clientId
      ? []
      : [`${partnerKey} is there, with the client id ${clientId}.`]),
    ...(textOf(given, "roles") === undefined ||
    JSON.stringify([...known.roles].sort()) === JSON.stringify([...wanted.roles].sort())
      ? []
      : [`${partnerKey} is there, with the roles ${known.roles.join(", ")}.`]),
    ...(given.values["operator"] !== true || known.isOperator
      ? []
      : [`${partnerKey} is there, and no operator.`]),
    ...changes.map(
      ({ path }) =>
        `${partnerKey} is there, with another ${path}: npm run partner -- settings sets it.`,
    ),
  ];
};

/** What a run that was cut off has left undone. */
const complete = async (
  tools: Tools,
  known: PartnerRecord,
  wanted: NewPartner,
  given: Given,
): Promise<Report> => {
  const faults = [
    ...differences(known, wanted, given),
    ...(await dealerFaults(tools.database, known.partnerKey, wanted.dealers)),
  ];
  if (faults.length > 0) return refused(faults);
  const access = await giveReadingAccess(tools, known);
  if (access.faults.length > 0) return refused(access.faults);
  const refusedDealers = await registerDealers(tools.database, known.partnerKey, wanted.dealers);
  if (refusedDealers.length > 0) return refused(refusedDealers);
  const { partnerKey, clientId } = known;
  const { connectionString } = access;
  return {
    done: true,
    value: { partnerKey, clientId, isNew: false, connectionString },
    lines: [
      `${partnerKey} is there, and nothing is missing.`,
      ...(connectionString === null ? [] : [`  Topic    ${connectionString}`]),
      "Its AuthKey was shown when it was made; npm run partner -- rotate-authkey makes another.",
    ],
  };
};

const add = async (given: Given, tools: Tools): Promise<Report> => {
  const wanted = await wantedOf(given);
  const { partnerKey, clientId } = wanted;
  const known = await findRecord(tools.database, partnerKey);
  if (known !== undefined) return complete(tools, known, wanted, given);
  // Before anything is made that nobody could use.
  const faults = await registrationFaults(tools.database, wanted);
  if (faults.length > 0) return refused(faults);
  const access = await giveReadingAccess(tools, wanted);
  if (access.faults.length > 0) return refused(access.faults);
  const authKey = newSecret();
  const clientSecret = textOf(given, "client-id") === undefined ? newSecret() : null;
  const refusals = await registerPartner(tools.database, wanted, {
    authKey: hashedSecret(authKey),
    clientSecret: clientSecret === null ? null : hashedSecret(clientSecret),
  });
  if (refusals.length > 0) return refused(refusals);
  const { connectionString } = access;
  return {
    done: true,
    value: { partnerKey, clientId, isNew: true, clientSecret, authKey, connectionString },
    lines: [
      `${partnerKey} may call within seconds. What follows is shown once, and kept as hashes:`,
      `  Client   ${clientId}`,
      ...(clientSecret === null ? [] : [`  Secret   ${clientSecret} (for the sandbox's tokens)`]),
      `  AuthKey  ${authKey}`,
      ...(connectionString === null ? [] : [`  Topic    ${connectionString}`]),
    ],
  };
};

export const addCommand: Command<Tools> = {
  name: "add",
  usage: "NAME [--client-id ID] [--dealers LIST] [--collection-iban IBAN] …",
  summary: "makes a partner, its topic and its AuthKey; finishes one that was half made",
  options,
  help,
  run: add,
};
