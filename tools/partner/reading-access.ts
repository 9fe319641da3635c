/** How a partner reads its topic: by a role of its client in the cloud, by a key of its own on one machine. */
import { isEmulator, namespaceHost } from "../../shared/events/broker-administration.js";
import {
  deletePartnerTopic,
  partnerTopicState,
  preparePartnerTopic,
  type TopicState,
} from "../../shared/events/partner-topic.js";
import { grantReceiving, revokeReceiving } from "../../shared/events/receiver-role.js";
import type { ServiceBusConnection } from "../../shared/platform/config.js";
import type { Tools } from "./command.js";

export interface ReadingAccess {
  readonly faults: readonly string[];
  /** Only where the partner reads by a key. */
  readonly connectionString: string | null;
}

const connectionStringOf = (
  connection: ServiceBusConnection,
  partnerKey: string,
  key: string,
): string =>
  `Endpoint=sb://${namespaceHost(connection)};SharedAccessKeyName=${partnerKey};` +
  `SharedAccessKey=${key};UseDevelopmentEmulator=true;`;

/** Topic, subscription, and who may read it; done twice it is done once. */
export const giveReadingAccess = async (
  tools: Tools,
  { partnerKey, clientId }: { readonly partnerKey: string; readonly clientId: string },
): Promise<ReadingAccess> => {
  const { connection, administration } = await tools.broker();
  const hasKey = isEmulator(connection);
  // Asked first: without it everything else would be done in vain.
  const azure = hasKey ? undefined : await tools.azure();
  const tell = (step: string): void => {
    tools.tell(step);
  };
  const topic = await preparePartnerTopic(administration, partnerKey, {
    hasKey,
    tell,
  });
  if (topic.faults.length > 0) return { faults: topic.faults, connectionString: null };
  if (azure !== undefined) {
    const granted = await grantReceiving(azure.credential, azure.place, partnerKey, clientId);
    tell(
      granted === "granted"
        ? `The client ${clientId} may read the subscription.`
        : `The client ${clientId} may read the subscription already.`,
    );
  }
  const connectionString =
    topic.key === null ? null : connectionStringOf(connection, partnerKey, topic.key);
  return { faults: [], connectionString };
};

/** What there is to take away, and whether all that is needed for it can be had; null: no topic. */
export const readingState = async (
  tools: Tools,
  partnerKey: string,
): Promise<TopicState | null> => {
  const { connection, administration } = await tools.broker();
  if (!isEmulator(connection)) await tools.azure();
  return partnerTopicState(administration, partnerKey);
};

export const takeReadingAccess = async (
  tools: Tools,
  { partnerKey, clientId }: { readonly partnerKey: string; readonly clientId: string },
): Promise<void> => {
  const { connection, administration } = await tools.broker();
  if (!isEmulator(connection)) {
    const { credential, place } = await tools.azure();
    await revokeReceiving(credential, place, partnerKey, clientId);
    tools.tell(`The client ${clientId} may read the subscription no more.`);
  }
  if (await deletePartnerTopic(administration, partnerKey))
    tools.tell(`The topic ${partnerKey} was deleted, with what was not read.`);
};
