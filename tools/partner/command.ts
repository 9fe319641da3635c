/** What a command is: its words, its options, and what it does. */
import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import type { parseArgs } from "node:util";
import type { Database } from "../../shared/database/platform/database.js";
import type { AzurePlace, TokenSource } from "../../shared/events/receiver-role.js";
import type { ServiceBusConnection } from "../../shared/platform/config.js";
import type { DocumentsConnection } from "../../shared/platform/document-settings.js";

/** An option that is missing or wrong: the usage follows. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Broker {
  readonly connection: ServiceBusConnection;
  readonly administration: ServiceBusAdministrationClient;
}

export interface Azure {
  readonly place: AzurePlace;
  readonly credential: TokenSource;
}

/** What commands work with; each part is opened when it is first asked for. */
export interface Tools {
  readonly database: Database;
  broker(): Promise<Broker>;
  /** Undefined: no setting names a broker. */
  brokerIfSet(): Promise<Broker | undefined>;
  azure(): Promise<Azure>;
  documents(): DocumentsConnection;
  /** Says what was done so far. */
  tell(step: string): void;
}

/** The options as they were given, with the words that are none. */
export interface Given {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly words: readonly string[];
}

export type Report =
  | {
      readonly done: true;
      /** For people. */
      readonly lines: readonly string[];
      /** For programs, by `--json`. */
      readonly value: object;
    }
  | {
      readonly done: false;
      /** What has to be put right first, as sentences. */
      readonly faults: readonly string[];
    };

export interface Command {
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  readonly options: NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;
  /** A line for each option. */
  readonly help: readonly string[];
  run(given: Given, tools: Tools): Promise<Report>;
}

export const refused = (faults: readonly string[]): Report => ({ done: false, faults });

export const textOf = ({ values }: Given, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};

export const textsOf = ({ values }: Given, name: string): readonly string[] => {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
};

/** The one word that the command is about. */
export const partnerOf = ({ words }: Given): string => {
  const [partnerKey, ...more] = words;
  if (partnerKey === undefined) throw new UsageError("The partner's NAME is missing.");
  if (more.length > 0) throw new UsageError(`One NAME is enough: what is "${more.join(" ")}"?`);
  return partnerKey;
};

/** Words of a list, at commas. */
export const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
