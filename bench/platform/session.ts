/** A partner's session for benches and the demo: token and the headers of every call. */
import { z } from "zod";

export interface Credentials {
  readonly partner: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authKey: string;
}

/** The partner acme of the sandbox (contract, section 0.2). */
export const acme: Credentials = {
  partner: "acme",
  clientId: "acme-client",
  clientSecret: "acme-local-secret",
  authKey: "acme-local-authkey",
};

/** Another partner. */
export const globex: Credentials = {
  partner: "globex",
  clientId: "globex-client",
  clientSecret: "globex-local-secret",
  authKey: "globex-local-authkey",
};

/** The platform's own operator, for every partner. */
export const operator: Credentials = {
  partner: "platform",
  clientId: "operator-client",
  clientSecret: "operator-local-secret",
  authKey: "operator-local-authkey",
};

const Token = z.object({ access_token: z.string() });

export const headersFor = async (
  url: string,
  { partner, clientId, clientSecret, authKey }: Credentials,
): Promise<Readonly<Record<string, string>>> => {
  const answer = await fetch(`${url}/sandbox/identity/local/oauth2/v2.0/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: "api://borsello/.default",
    }),
  });
  if (answer.status !== 200) throw new Error(`No token for ${clientId}: ${answer.status}`);
  const { access_token } = Token.parse(await answer.json());
  return {
    authorization: `Bearer ${access_token}`,
    authkey: authKey,
    partner,
    "content-type": "application/json",
  };
};
