/** The broker's management client: by connection string, or with the identity that this process has. */
import type {
  ServiceBusAdministrationClient,
  ServiceBusAdministrationClientOptions,
} from "@azure/service-bus";
import type { ServiceBusConnection } from "../platform/config.js";

export interface AdministrationOptions {
  /** The certificate of a broker that no authority vouches for, in PEM. */
  readonly ca?: string | undefined;
}

/** The broker on this machine, or the emulator: it knows keys, and no directory's identities. */
export const isEmulator = (connection: ServiceBusConnection): boolean =>
  connection.kind === "connectionString" &&
  /(?:^|;)UseDevelopmentEmulator=true(?:;|$)/i.test(connection.connectionString);

/** The namespace's host, `NAME.servicebus.windows.net` in the cloud. */
export const namespaceHost = (connection: ServiceBusConnection): string =>
  connection.kind === "identity"
    ? connection.fullyQualifiedNamespace
    : (/(?:^|;)Endpoint=sb:\/\/([^/;]+)/i.exec(connection.connectionString)?.[1] ?? "");

export const openAdministration = async (
  connection: ServiceBusConnection,
  { ca }: AdministrationOptions = {},
): Promise<ServiceBusAdministrationClient> => {
  const { ServiceBusAdministrationClient } = await import("@azure/service-bus");
  // The client hands all options of its HTTP pipeline on, though its own type lists some alone.
  const options: ServiceBusAdministrationClientOptions & { tlsOptions?: { ca: string } } =
    ca === undefined ? {} : { tlsOptions: { ca } };
  if (connection.kind === "connectionString")
    return new ServiceBusAdministrationClient(connection.connectionString, options);
  const { DefaultAzureCredential } = await import("@azure/identity");
  const credential = new DefaultAzureCredential();
  return new ServiceBusAdministrationClient(
    connection.fullyQualifiedNamespace,
    credential,
    options,
  );
};
