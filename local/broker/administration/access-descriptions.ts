/** Authorization rules as administrators write and read them. */
import { randomBytes } from "node:crypto";
import { rights, type AccessRule, type Right } from "../access/access-rules.js";
import { BrokerError, conditions } from "../errors.js";
import { element, textElement } from "./atom.js";
import { child, childText, type Element } from "./xml-reader.js";

/** A rule as it is wanted: the broker makes the keys that are left out. */
export interface WantedAccessRule {
  readonly name: string;
  readonly rights: readonly Right[];
  readonly primaryKey: string | undefined;
  readonly secondaryKey: string | undefined;
}

/** As many as the service allows of one entity. */
const rulesMax = 12;
const namePattern = /^[A-Za-z0-9][\w.-]{0,255}$/;
/** Nothing that a connection string would end at. */
const keyPattern = /^[\w.~+/=-]{1,256}$/;
const keyBytes = 32;

const wrong = (why: string): BrokerError =>
  new BrokerError(conditions.invalidField, `SubCode=40000. ${why}`);

const rightsOf = (rule: Element): Right[] => {
  const given = (child(rule, "Rights")?.children ?? []).map(({ text }) => text.trim());
  const found = rights.filter((right) => given.includes(right));
  const unknown = given.find((text) => !rights.some((right) => right === text));
  if (unknown !== undefined || found.length === 0)
    throw wrong(`The rights of an authorization rule are some of ${rights.join(", ")}.`);
  if (found.includes("Manage") && found.length < rights.length)
    throw wrong("An authorization rule with the right Manage has Send and Listen as well.");
  return found;
};

const keyOf = (rule: Element, name: string): string | undefined => {
  const key = childText(rule, name);
  if (key === undefined || keyPattern.test(key)) return key;
  throw wrong(`${name} is 1 to 256 letters, digits and any of ._~+/=-, or left out.`);
};

const readRule = (rule: Element): WantedAccessRule => {
  const name = childText(rule, "KeyName") ?? "";
  if (!namePattern.test(name))
    throw wrong("KeyName is 1 to 256 letters, digits and any of . - _, and begins with one.");
  if ((childText(rule, "ClaimType") ?? "") !== "SharedAccessKey")
    throw wrong("The claim type of an authorization rule is SharedAccessKey.");
  return {
    name,
    rights: rightsOf(rule),
    primaryKey: keyOf(rule, "PrimaryKey"),
    secondaryKey: keyOf(rule, "SecondaryKey"),
  };
};

/** Undefined where a description says nothing of rules. Throws for those that cannot be. */
export const readAccessRules = (
  description: Element | undefined,
): WantedAccessRule[] | undefined => {
  const described = child(description, "AuthorizationRules");
  if (described === undefined) return undefined;
  const given = described.children.filter(({ name }) => name === "AuthorizationRule");
  if (given.length > rulesMax)
    throw wrong(`An entity has ${rulesMax} authorization rules at most.`);
  const rules = given.map(readRule);
  const names = new Set(rules.map(({ name }) => name));
  if (names.size < rules.length) throw wrong("Two authorization rules have the same KeyName.");
  return rules;
};

/** With keys for those that have none yet: of a rule that is there already they stay. */
export const withKeys = (
  wanted: readonly WantedAccessRule[],
  before: readonly AccessRule[],
): AccessRule[] =>
  wanted.map((rule) => {
    const kept = before.find(({ name }) => name === rule.name);
    const newKey = (): string => randomBytes(keyBytes).toString("base64");
    return {
      ...rule,
      primaryKey: rule.primaryKey ?? kept?.primaryKey ?? newKey(),
      secondaryKey: rule.secondaryKey ?? kept?.secondaryKey ?? newKey(),
    };
  });

const writeRule = ({ name, rights: given, primaryKey, secondaryKey }: AccessRule): string =>
  element(
    "AuthorizationRule",
    textElement("ClaimType", "SharedAccessKey") +
      textElement("ClaimValue", "None") +
      element("Rights", given.map((right) => textElement("AccessRights", right)).join("")) +
      textElement("KeyName", name) +
      textElement("PrimaryKey", primaryKey) +
      textElement("SecondaryKey", secondaryKey),
    'i:type="SharedAccessAuthorizationRule"',
  );

export const writeAccessRules = (rules: readonly AccessRule[]): string =>
  element("AuthorizationRules", rules.map(writeRule).join(""));
