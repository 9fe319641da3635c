/** Where the broker is: from options, else from the settings that the app has. */
import { readFile } from "node:fs/promises";
import { isEmulator } from "../../shared/events/broker-administration.js";
import {
  readServiceBusConnection,
  type ServiceBusConnection,
} from "../../shared/platform/config.js";
import type { Environment } from "../../shared/platform/settings/reading.js";
import { textOf, type Given } from "./command-line.js";

export const brokerOptions = {
  broker: { type: "string" },
  "broker-certificate": { type: "string" },
} as const;

export const brokerHelp = [
  "--broker CONNECTION  the broker's connection string; else ServiceBus or ServiceBus__fullyQualifiedNamespace",
  "--broker-certificate of a broker on this machine; else .borsello/broker-tls/certificate.pem",
];

const usualCertificate = ".borsello/broker-tls/certificate.pem";

export const brokerOf = (given: Given, environment: Environment): ServiceBusConnection => {
  const ServiceBus = textOf(given, "broker");
  return readServiceBusConnection(ServiceBus === undefined ? environment : { ServiceBus });
};

/** Only the broker on this machine has a certificate that nobody else vouches for. */
export const certificateOf = async (
  given: Given,
  connection: ServiceBusConnection,
): Promise<string | undefined> => {
  const file = textOf(given, "broker-certificate");
  if (file !== undefined) return readFile(file, "utf8");
  if (!isEmulator(connection)) return undefined;
  // Absent where the platform's data is elsewhere; then NODE_EXTRA_CA_CERTS may name it.
  return readFile(usualCertificate, "utf8").catch(() => undefined);
};
