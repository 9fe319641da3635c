/** The database password where the app's own identity is the account: a fresh Entra token. */
import { DefaultAzureCredential } from "@azure/identity";

const scope = "https://ossrdbms-aad.database.windows.net/.default";

/** Asked by the pool for each new connection; the credential caches its token until it is stale. */
export const entraPassword = (): (() => Promise<string>) => {
  const credential = new DefaultAzureCredential();
  return async () => (await credential.getToken(scope)).token;
};
