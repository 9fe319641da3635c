/** Authorization rules: which key gives which rights to an entity and what lies below it. */
import { z } from "zod";

export const rights = ["Manage", "Send", "Listen"] as const;
export type Right = (typeof rights)[number];

/** Either of its two keys signs, so that one can be changed while the other one is in use. */
export interface AccessRule {
  readonly name: string;
  readonly rights: readonly Right[];
  readonly primaryKey: string;
  readonly secondaryKey: string;
}

/** The rules of a queue, or of a topic and its subscriptions. */
export interface EntityAccess {
  readonly path: string;
  readonly rules: readonly AccessRule[];
}

/** As they are kept beside their entity. */
export const AccessRules = z.array(
  z.object({
    name: z.string(),
    rights: z.array(z.enum(rights)),
    primaryKey: z.string(),
    secondaryKey: z.string(),
  }),
);

/** Longer than the path of anything that there is. */
export const pathLengthMax = 512;

/** The path in an address: `sb://host:port/some/entity` names the entity; the host is not ours to judge. */
export const pathOf = (address: string): string =>
  address
    .replace(/^[a-z]+:\/\/[^/]*\/?/i, "")
    .replace(/\?.*$/s, "")
    .replace(/\/+$/, "")
    .toLowerCase();

/**
 * The queue or topic whose rules hold for a path: a subscription, its rules, dead letters and
 * management have those of the entity that they belong to. Another entity whose path merely begins
 * with the same words has its own.
 */
export const scopeOf = (path: string): string =>
  path
    .replace(/\/\$management$/, "")
    .replace(/(?:\/\$transfer)?\/\$deadletterqueue$/, "")
    .replace(/\/subscriptions(?:\/.*)?$/s, "");
