/** A broker whose entities are administered, for tests with the genuine client. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ServiceBusAdministrationClient,
  type ServiceBusAdministrationClientOptions,
} from "@azure/service-bus";
import type { BrokerOptions } from "../../../local/broker/broker.js";
import { certificatePath, keepCertificate } from "../../../local/broker/connections/certificate.js";
import { brokerFixture, connectionString, type BrokerFixture } from "./broker.js";

export interface AdministrationFixture extends BrokerFixture {
  readonly administration: ServiceBusAdministrationClient;
  readonly certificateFolder: string;
  /** The certificate that clients trust. */
  readonly ca: string;
}

/** The emulator's connection string serves this client as well: it speaks https whatever that says. */
export const administer = (
  port: number,
  ca: string,
  key?: string,
  keyName?: string,
): ServiceBusAdministrationClient => {
  // The client hands all options of its HTTP pipeline on, though its own type lists some alone.
  const options: ServiceBusAdministrationClientOptions & { tlsOptions: { ca: string } } = {
    tlsOptions: { ca },
    retryOptions: { maxRetries: 0 },
  };
  return new ServiceBusAdministrationClient(connectionString(port, key, keyName), options);
};

export const administrationFixture = async (
  options: Pick<BrokerOptions, "idleClock" | "accessRules"> = {},
): Promise<AdministrationFixture> => {
  const certificateFolder = await mkdtemp(join(tmpdir(), "broker-certificate-"));
  await keepCertificate(certificateFolder, Date.now());
  const ca = await readFile(certificatePath(certificateFolder), "utf8");
  const fixture = await brokerFixture({ certificateFolder, ...options });
  return {
    ...fixture,
    administration: administer(fixture.broker.port, ca),
    certificateFolder,
    ca,
    stop: async () => {
      await fixture.stop();
      await rm(certificateFolder, { recursive: true });
    },
  };
};

export const namesOf = async (
  entities: AsyncIterable<{ readonly name: string }>,
): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of entities) names.push(name);
  return names;
};
