/** The routes that differ in more than an event's fields, for tests that make many calls to each. */
import { forcePushes } from "../../../shared/contracts/events/force-push.js";
import type { Route } from "../../../shared/contracts/route.js";

const made = new Set(forcePushes.map(({ route }) => route.id));

/** One loop makes the routes that force events: the first and the last of them stand for all. */
const standing = new Set([forcePushes.at(0)?.route.id, forcePushes.at(-1)?.route.id]);

export const isUnlikeOthers = ({ id }: Pick<Route, "id">): boolean =>
  !made.has(id) || standing.has(id);
