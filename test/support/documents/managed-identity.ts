/** Stands for Azure's managed identity on this machine, and for a certificate that nobody vouches for. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** A token as Entra ID issues them, for services that look at everything but its signature. */
const tokenFor = (audience: string, expiresAt: number): string => {
  const claims = { aud: audience, iss: "https://sts.windows.net/tenant/", iat: 0, nbf: 0 };
  return [encoded({ alg: "RS256" }), encoded({ ...claims, exp: expiresAt }), "signature"].join(".");
};

export interface ManagedIdentity {
  /** The resources for which tokens were asked. */
  readonly resources: readonly string[];
  stop(): Promise<void>;
}

/** The library keeps the first endpoint that it was told of, as long as the process lives. */
let portOfProcess = 0;

/** An App Service's endpoint of identities, which the settings of this process name until it stops. */
export const startManagedIdentity = async (): Promise<ManagedIdentity> => {
  const resources: string[] = [];
  const server = createServer((request, response) => {
    const resource = new URL(request.url ?? "", "http://localhost").searchParams.get("resource");
    resources.push(resource ?? "");
    const expiresAt = Math.floor(Date.now() / 1000) + 3600;
    response.setHeader("content-type", "application/json").end(
      JSON.stringify({
        access_token: tokenFor(resource ?? "", expiresAt),
        expires_on: String(expiresAt),
        token_type: "Bearer",
        resource,
      }),
    );
  });
  // A client that reuses a connection just when it is given up takes that for an outage.
  server.keepAliveTimeout = 120_000;
  server.listen(portOfProcess, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  portOfProcess = port;
  vi.stubEnv("IDENTITY_ENDPOINT", `http://127.0.0.1:${port}/`);
  vi.stubEnv("IDENTITY_HEADER", "secret");
  return {
    resources,
    stop: async () => {
      vi.unstubAllEnvs();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
