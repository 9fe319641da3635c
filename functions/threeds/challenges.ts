/** Challenges out of band: which device, the raise, the result. */
import {
  listDevicesRoute,
  pushResultRoute,
  raiseChallengeRoute,
} from "../../shared/contracts/threeds/challenges.js";
import { listDevices as list } from "../../shared/database/threeds/device-list.js";
import { storedDevices } from "../../shared/database/threeds/devices.js";
import { noPushes, sandboxPushes } from "../../shared/database/threeds/pushes.js";
import { raiseChallenge as raise } from "../../shared/database/threeds/raise.js";
import { pushResult as resolve } from "../../shared/database/threeds/result.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";

/** In production nobody gives card holders devices of his own accord, and nobody carries pushes. */
const outsideWorld = ({ config, database }: Pick<Services, "config" | "database">) => {
  const isProduction = config.environment === "production";
  return {
    devices: storedDevices(database, !isProduction),
    pushes: isProduction ? noPushes : sandboxPushes(database),
  };
};

const listDevices = endpoint(listDevicesRoute, async (services, { body, caller, ok, refuse }) => {
  const { devices } = outsideWorld(services);
  const listed = await list(services.database, devices, caller, body);
  return listed.ok ? ok(listed.value) : refuse(listed);
});

const raiseChallenge = endpoint(
  raiseChallengeRoute,
  async (services, { body, caller, ok, refuse }) => {
    const means = { database: services.database, ...outsideWorld(services) };
    const raised = await raise(means, caller, caller.settings.cards.threeDs, body);
    return raised.ok ? ok(raised.value) : refuse(raised);
  },
);

const pushResult = endpoint(pushResultRoute, async ({ database }, { body, caller, ok, refuse }) => {
  const resolved = await resolve(database, caller, body);
  return resolved.ok ? ok(resolved.value) : refuse(resolved);
});

export const challengeEndpoints = [listDevices, raiseChallenge, pushResult] as const;
