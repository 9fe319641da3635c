/** A partner's topic and its subscription, both of the partner's name: made, completed, shown, deleted. */
import type {
  AuthorizationRule,
  CreateSubscriptionOptions,
  CreateTopicOptions,
  ServiceBusAdministrationClient,
} from "@azure/service-bus";

/** As the platform's other topics (contract.md section 5). */
const topicOptions = {
  defaultMessageTimeToLive: "P14D",
  requiresDuplicateDetection: true,
  duplicateDetectionHistoryTimeWindow: "PT10M",
} as const satisfies CreateTopicOptions;

const subscriptionOptions = {
  lockDuration: "PT1M",
  maxDeliveryCount: 10,
  defaultMessageTimeToLive: "P14D",
  deadLetteringOnMessageExpiration: true,
  requiresSession: false,
} as const satisfies CreateSubscriptionOptions;

export interface PartnerTopicOptions {
  /** Whether the partner reads by a key of its own: where no directory knows its client. */
  readonly hasKey: boolean;
  /** Hears of each step that is done, as a sentence. */
  readonly tell: (step: string) => void;
}

export interface PartnerTopic {
  /** What cannot be put right by a command, as sentences. */
  readonly faults: readonly string[];
  /** The key of the rule that bears the partner's name; null: it has none. */
  readonly key: string | null;
}

/**
 * Undefined: there is none. The client's own `topicExists` says "no" to every failure, an outage or a key that is
 * refused included, and a partner would be removed while its topic stays.
 */
const ifThere = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MessageEntityNotFoundError")
      return undefined;
    throw error;
  }
};

const ownRule = (rules: readonly AuthorizationRule[] | undefined, partnerKey: string) =>
  rules?.find(({ keyName }) => keyName === partnerKey);

/** May listen to what is below the topic, and nothing else; the broker makes the key. */
const listening = (partnerKey: string): AuthorizationRule => ({
  claimType: "SharedAccessKey",
  accessRights: ["Listen"],
  keyName: partnerKey,
});

const prepareTopic = async (
  administration: ServiceBusAdministrationClient,
  partnerKey: string,
  { hasKey, tell }: PartnerTopicOptions,
): Promise<PartnerTopic> => {
  const authorizationRules = hasKey ? [listening(partnerKey)] : [];
  const topic = await ifThere(administration.getTopic(partnerKey));
  if (topic === undefined) {
    const options = hasKey ? { ...topicOptions, authorizationRules } : topicOptions;
    const made = await administration.createTopic(partnerKey, options);
    tell(`The topic ${partnerKey} was made.`);
    return { faults: [], key: ownRule(made.authorizationRules, partnerKey)?.primaryKey ?? null };
  }
  tell(`The topic ${partnerKey} is there.`);
  const known = ownRule(topic.authorizationRules, partnerKey);
  if (!topic.requiresDuplicateDetection)
    return {
      faults: [
        `The topic ${partnerKey} does not look for duplicates, which cannot be changed: delete it, and run this again.`,
      ],
      key: known?.primaryKey ?? null,
    };
  if (!hasKey || known !== undefined) return { faults: [], key: known?.primaryKey ?? null };
  topic.authorizationRules = [...(topic.authorizationRules ?? []), ...authorizationRules];
  const updated = await administration.updateTopic(topic);
  tell(`The topic ${partnerKey} has a key for its partner.`);
  return { faults: [], key: ownRule(updated.authorizationRules, partnerKey)?.primaryKey ?? null };
};

const prepareSubscription = async (
  administration: ServiceBusAdministrationClient,
  partnerKey: string,
  { tell }: PartnerTopicOptions,
): Promise<string[]> => {
  const subscription = await ifThere(administration.getSubscription(partnerKey, partnerKey));
  if (subscription === undefined) {
    await administration.createSubscription(partnerKey, partnerKey, subscriptionOptions);
    tell(`The subscription ${partnerKey} was made.`);
    return [];
  }
  tell(`The subscription ${partnerKey} is there.`);
  return subscription.requiresSession
    ? [
        `The subscription ${partnerKey} requires sessions, which cannot be changed: delete it, and run this again.`,
      ]
    : [];
};

/** Makes what is missing; done twice it is done once. */
export const preparePartnerTopic = async (
  administration: ServiceBusAdministrationClient,
  partnerKey: string,
  options: PartnerTopicOptions,
): Promise<PartnerTopic> => {
  const { faults, key } = await prepareTopic(administration, partnerKey, options);
  if (faults.length > 0) return { faults, key };
  return { faults: await prepareSubscription(administration, partnerKey, options), key };
};

export interface TopicState {
  readonly activeMessages: number;
  readonly deadLetters: number;
}

/** What waits for the partner to read it; null: it has no topic, or no subscription. */
export const partnerTopicState = async (
  administration: ServiceBusAdministrationClient,
  partnerKey: string,
): Promise<TopicState | null> => {
  const found = await ifThere(
    administration.getSubscriptionRuntimeProperties(partnerKey, partnerKey),
  );
  if (found === undefined) return null;
  return { activeMessages: found.activeMessageCount, deadLetters: found.deadLetterMessageCount };
};

/** With everything that was not read. False: there was none. */
export const deletePartnerTopic = async (
  administration: ServiceBusAdministrationClient,
  partnerKey: string,
): Promise<boolean> => {
  if ((await ifThere(administration.getTopic(partnerKey))) === undefined) return false;
  await administration.deleteTopic(partnerKey);
  return true;
};
