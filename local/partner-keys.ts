/** The keys by which partners read their own topics here. Everybody knows them, so production has none. */
import type { EntityAccess } from "./broker/access/access-rules.js";
import type { Topology } from "./broker/topology.js";
import { isProduction } from "./keys.js";
import type { Settings } from "./stack-settings.js";

const partnerKey = (partner: string): string => `${partner}-local-key`;

/**
 * The partners that have such a key. A topic is a partner's where a subscription of the same name
 * holds what comes for it.
 */
export const partnersWithKey = ({ topics }: Topology, settings: Settings): string[] =>
  isProduction(settings)
    ? []
    : topics
        .filter(({ path, subscriptions }) => subscriptions.some(({ name }) => name === path))
        .map(({ path }) => path);

/** Each may listen to its own topic's subscriptions, and nothing else. */
export const partnerAccess = (partners: readonly string[]): EntityAccess[] =>
  partners.map((partner) => {
    const key = partnerKey(partner);
    const rule = { name: partner, rights: ["Listen"], primaryKey: key, secondaryKey: key } as const;
    return { path: partner, rules: [rule] };
  });

export const partnerConnectionString = (port: number, partner: string): string =>
  `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=${partner};SharedAccessKey=${partnerKey(partner)};UseDevelopmentEmulator=true;`;
