/** GET /asyncapi.json: the events that partners are told. */
import { eventCatalogue } from "../../shared/contracts/events/catalogue.js";
import { getAsyncApiRoute } from "../../shared/contracts/platform/documentation.js";
import { asyncApiDocument } from "../../shared/http/asyncapi.js";
import { applicationVersion } from "../../shared/platform/application.js";
import type { Config, ServiceBusConnection } from "../../shared/platform/config.js";
import type { Json } from "../../shared/http/json-schemas.js";
import type { Services } from "../kit/services.js";
import { documentEndpoint } from "./written-document.js";

/** The document is open to everyone: of a namespace in the cloud it does not tell the name. */
export const localBrokerHost = (connection: ServiceBusConnection): string | null => {
  if (connection.kind === "identity") return null;
  const { connectionString } = connection;
  if (!/UseDevelopmentEmulator=true/i.test(connectionString)) return null;
  return /Endpoint=sb:\/\/([^;/]+)/i.exec(connectionString)?.[1] ?? null;
};

const authority = "https://login.microsoftonline.com";

/** `organizations` stands where the settings name no tenant: administrators name it to their partners. */
const tokenUrlOf = ({ identity }: Config): string =>
  `${authority}/${identity.tenant ?? "organizations"}/oauth2/v2.0/token`;

export const asyncApiOf = ({ config }: Services): Json => {
  const brokerHost = localBrokerHost(config.serviceBus);
  return asyncApiDocument(eventCatalogue, {
    version: applicationVersion,
    brokerHost,
    tokenUrl: brokerHost === null ? tokenUrlOf(config) : null,
  });
};

export const asyncApiEndpoint = documentEndpoint(getAsyncApiRoute, asyncApiOf);
