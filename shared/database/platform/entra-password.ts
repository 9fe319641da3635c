/** The database password where the app's own identity is the account: a fresh Entra token. */
import type { DefaultAzureCredential } from "@azure/identity";

const scope = "https://ossrdbms-aad.database.windows.net/.default";

/** Asked by the pool for each new connection; the credential caches its token until it is stale. */
export const entraPassword = (): (() => Promise<string>) => {
  let credential: DefaultAzureCredential | undefined;
  return async () => {
    if (credential === undefined) {
      // Loaded only where it is needed: the library costs more start time than all the rest.
      const identity = await import("@azure/identity");
      credential = new identity.DefaultAzureCredential();
    }
    return (await credential.getToken(scope)).token;
  };
};
