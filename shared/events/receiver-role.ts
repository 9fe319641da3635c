/** Lets a partner's own client read its subscription in Azure, and nothing else: a role on that subscription alone. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { parsedJson } from "../platform/parsed-json.js";

/** Azure Service Bus Data Receiver, the same in every directory. */
const receiverRole = "4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0";
const assignmentsVersion = "2022-04-01";
const answerMs = 30_000;

/** Where the namespace is. */
export interface AzurePlace {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly namespace: string;
  /** Azure Resource Manager and Microsoft Graph; national clouds have their own. */
  readonly resourceManagerUrl: string;
  readonly graphUrl: string;
}

/** Gives tokens for a scope, as the credentials of Azure's libraries do. */
export interface TokenSource {
  getToken(scope: string): Promise<{ readonly token: string } | null>;
}

/** What Azure has answered instead of doing it: for a person to put right. */
export class AzureRefusal extends Error {
  override readonly name = "AzureRefusal";
}

const Failure = z.object({
  error: z.object({ code: z.string().max(200), message: z.string() }),
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const call = async (
  credential: TokenSource,
  origin: string,
  path: string,
  init: { readonly method: "GET" | "PUT" | "DELETE"; readonly body?: string },
): Promise<Answer> => {
  const given = await credential.getToken(`${new URL(origin).origin}/.default`);
  if (given === null) throw new AzureRefusal(`There is no token for ${origin}.`);
  const answer = await fetch(new URL(path, origin), {
    ...init,
    headers: { authorization: `Bearer ${given.token}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(answerMs),
  });
  // Something in between may have answered by a page of its own, or nothing was said.
  return { status: answer.status, body: parsedJson(await answer.text()) };
};

const refused = (deed: string, { status, body }: Answer): AzureRefusal => {
  const failure = Failure.safeParse(body);
  const reason = failure.success
    ? `${failure.data.error.code}: ${failure.data.error.message}`
    : "without a reason";
  return new AzureRefusal(`Azure did not ${deed} (${status}, ${reason})`);
};

const Principal = z.object({ id: z.uuid() });

/** The object in this directory that stands for the client, which roles are given to; undefined: none. */
const principalOf = async (
  credential: TokenSource,
  { graphUrl }: AzurePlace,
  clientId: string,
): Promise<string | undefined> => {
  const path = `/v1.0/servicePrincipals(appId='${encodeURIComponent(clientId)}')?$select=id`;
  const answer = await call(credential, graphUrl, path, { method: "GET" });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw refused(`find the client id ${clientId}`, answer);
  return Principal.parse(answer.body).id;
};

const scopeOf = ({ subscriptionId, resourceGroup, namespace }: AzurePlace, partnerKey: string) =>
  `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}` +
  `/providers/Microsoft.ServiceBus/namespaces/${namespace}` +
  `/topics/${partnerKey}/subscriptions/${partnerKey}`;

/** The same for the same: asked twice, there is one. A UUID of version 8 (RFC 9562). */
const assignmentName = (scope: string, principalId: string): string => {
  const bytes = createHash("sha256").update(`${scope} ${principalId} ${receiverRole}`).digest();
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString("hex");
  return [0, 8, 12, 16, 20]
    .map((from, index, all) => hex.slice(from, all[index + 1] ?? 32))
    .join("-");
};

const assignmentPath = (scope: string, principalId: string): string =>
  `${scope}/providers/Microsoft.Authorization/roleAssignments/` +
  `${assignmentName(scope, principalId)}?api-version=${assignmentsVersion}`;

/** Throws an AzureRefusal; done twice it is done once. */
export const grantReceiving = async (
  credential: TokenSource,
  place: AzurePlace,
  partnerKey: string,
  clientId: string,
): Promise<"granted" | "there"> => {
  const principalId = await principalOf(credential, place, clientId);
  if (principalId === undefined)
    throw new AzureRefusal(
      `The directory has no service principal for the client id ${clientId}: ` +
        `make one (az ad sp create --id ${clientId}), and run this again.`,
    );
  const scope = scopeOf(place, partnerKey);
  const roleDefinitionId =
    `/subscriptions/${place.subscriptionId}` +
    `/providers/Microsoft.Authorization/roleDefinitions/${receiverRole}`;
  const properties = { roleDefinitionId, principalId, principalType: "ServicePrincipal" };
  const answer = await call(
    credential,
    place.resourceManagerUrl,
    assignmentPath(scope, principalId),
    {
      method: "PUT",
      body: JSON.stringify({ properties }),
    },
  );
  if (answer.status === 201) return "granted";
  const code = Failure.safeParse(answer.body).data?.error.code;
  // 409: somebody gave this role by hand, under another name.
  if (answer.status === 200 || (answer.status === 409 && code === "RoleAssignmentExists"))
    return "there";
  throw refused(`give ${clientId} the role to read the subscription`, answer);
};

/** An assignment outlives what it is about, and would hold again for a topic of the same name. */
export const revokeReceiving = async (
  credential: TokenSource,
  place: AzurePlace,
  partnerKey: string,
  clientId: string,
): Promise<void> => {
  const principalId = await principalOf(credential, place, clientId);
  // Whoever is no longer in the directory signs in no more, and no other gets its id.
  if (principalId === undefined) return;
  const path = assignmentPath(scopeOf(place, partnerKey), principalId);
  const answer = await call(credential, place.resourceManagerUrl, path, { method: "DELETE" });
  if (answer.status !== 200 && answer.status !== 204)
    throw refused(`take the role to read the subscription from ${clientId}`, answer);
};
