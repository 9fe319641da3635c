/** PUT /sandbox/clock: moves platform time forward and has the host run what became due. */
import { z } from "zod";
import { moveClockRoute } from "../../shared/contracts/sandbox/clock.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { moveSandboxClock } from "../../shared/database/sandbox/clock.js";
import { refusal } from "../../shared/domain/outcome.js";
import { systemClock } from "../../shared/platform/clock.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
import { endpoint } from "../kit/endpoint.js";

const hostAnswer = z.object({ now: z.iso.datetime(), flowsRun: z.int() });

/** No time-out of the platform is longer; schedules and dates hold far beyond it. */
const horizonYears = 10;

const latestNow = (): Date => {
  const latest = new Date(systemClock.nowMs());
  latest.setUTCFullYear(latest.getUTCFullYear() + horizonYears);
  return latest;
};

/** The host waits until its engine is quiet, for ten seconds at most. */
const hostTimeoutMs = 30_000;

const tellHost = async (url: string): Promise<z.output<typeof hostAnswer>> => {
  try {
    const answer = await fetch(url, { method: "POST", signal: AbortSignal.timeout(hostTimeoutMs) });
    if (!answer.ok) throw new Error(`the host answered ${answer.status}`);
    return hostAnswer.parse(await answer.json());
  } catch (error) {
    throw new DependencyUnavailableError("the host's clock", error);
  }
};

const moveClock = endpoint(moveClockRoute, async (services, { body, ok, refuse }) => {
  const { config, database } = services;
  if (config.sandboxClockUrl === null)
    return refuse(
      refusal("OperationNotAllowedInEnvironment", { now: "this host's timers follow wall time." }),
    );
  // It only moves forward: what lies too far ahead could never be taken back.
  const latest = latestNow();
  if (Date.parse(body.now) > latest.getTime())
    return refuse(
      refusal("QueryParameterInvalid", {
        now: `must not be after ${latest.toISOString()}, ${horizonYears} years from today.`,
      }),
    );
  if (!(await moveSandboxClock(database, body.now))) {
    const earliest = await platformNow(database);
    return refuse(refusal("QueryParameterInvalid", { now: `must not be before ${earliest}.` }));
  }
  return ok(await tellHost(config.sandboxClockUrl));
});

export const clockEndpoints = [moveClock] as const;
