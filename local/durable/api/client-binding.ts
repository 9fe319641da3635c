/** Addresses of the durable HTTP API: for the client library, and for whoever gets a link. */

export interface Addresses {
  readonly baseUrl: string;
  readonly hub: string;
  readonly key: string;
}

export const publicPath = "/runtime/webhooks/durabletask";

const requiredQuery = ({ hub, key }: Addresses): string =>
  `taskHub=${encodeURIComponent(hub)}&connection=Storage&code=${encodeURIComponent(key)}`;

/** In a link a space of an instance id reads `+`. */
const linkId = (id: string): string => encodeURIComponent(id).replaceAll("%20", "+");

export interface ManagementUrls {
  readonly id: string;
  readonly statusQueryGetUri: string;
  readonly sendEventPostUri: string;
  readonly terminatePostUri: string;
  readonly purgeHistoryDeleteUri: string;
  readonly restartPostUri: string;
  readonly suspendPostUri: string;
  readonly resumePostUri: string;
}

/** Where an instance is managed. */
export const managementUrls = (addresses: Addresses, id: string): ManagementUrls => {
  const instance = `${addresses.baseUrl}${publicPath}/instances/${linkId(id)}`;
  const query = requiredQuery(addresses);
  const withReason = (operation: string): string =>
    `${instance}/${operation}?reason={text}&${query}`;
  return {
    id,
    statusQueryGetUri: `${instance}?${query}`,
    sendEventPostUri: `${instance}/raiseEvent/{eventName}?${query}`,
    terminatePostUri: withReason("terminate"),
    purgeHistoryDeleteUri: `${instance}?${query}`,
    restartPostUri: `${instance}/restart?${query}`,
    suspendPostUri: withReason("suspend"),
    resumePostUri: withReason("resume"),
  };
};

/** The JSON text of a durableClient input binding. */
export const clientBinding = (addresses: Addresses & { readonly rpcPath: string }): string => {
  const create = `${addresses.baseUrl}${publicPath}/orchestrators/{functionName}[/{instanceId}]`;
  const query = requiredQuery(addresses);
  const { id, statusQueryGetUri, sendEventPostUri, terminatePostUri, ...others } = managementUrls(
    addresses,
    "INSTANCEID",
  );
  const rewind = `${addresses.baseUrl}${publicPath}/instances/INSTANCEID/rewind`;
  return JSON.stringify({
    taskHubName: addresses.hub,
    creationUrls: {
      createNewInstancePostUri: `${create}?${query}`,
      createAndWaitOnNewInstancePostUri: `${create}?timeout={timeoutInSeconds}&pollingInterval={intervalInSeconds}&${query}`,
    },
    managementUrls: {
      id,
      statusQueryGetUri,
      sendEventPostUri,
      terminatePostUri,
      rewindPostUri: `${rewind}?reason={text}&${query}`,
      ...others,
    },
    baseUrl: `${addresses.baseUrl}${publicPath}`,
    requiredQueryStringParameters: query,
    rpcBaseUrl: `${addresses.baseUrl}${addresses.rpcPath}`,
  });
};
