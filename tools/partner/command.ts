/** What commands for partners work with, and the words that they read alike. */
import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import type { Database } from "../../shared/database/platform/database.js";
import type { AzurePlace, TokenSource } from "../../shared/events/receiver-role.js";
import type { ServiceBusConnection } from "../../shared/platform/config.js";
import type { DocumentsConnection } from "../../shared/platform/settings/document-settings.js";
import { UsageError, type Given } from "../kit/command-line.js";

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
  pause(milliseconds: number): Promise<unknown>;
}

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
