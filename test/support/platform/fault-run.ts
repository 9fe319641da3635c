/** Inflicts faults on a platform under load, one after the other, and judges what came of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { liftLimits } from "../operations/customer-load.js";
import type { Fault } from "./draw-faults.js";
import { judge, type Judgement } from "./fault-judge.js";
import {
  startFaultPlatform,
  type FaultPlatform,
  type FaultPlatformOptions,
} from "./fault-platform.js";
import { startPartnerLoad, type LoadReport, type PartnerLoad } from "./partner-load.js";
import { seededBelow } from "./seeded-random.js";

export interface FaultRunOptions extends FaultPlatformOptions {
  readonly clients: number;
  readonly errandsMax: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Load without a fault before the first one; after each, at most so long again and half of it at least. */
  readonly betweenMs: number;
  /** Told of each fault that is over. */
  readonly over?: (fault: string, recoveredMs: number) => void;
}

export interface FaultRun extends Pick<LoadReport, "answers" | "begun">, Judgement {
  /** Milliseconds from each fault's end until the health was ok; those that nobody waited for are left out. */
  readonly recoveredMs: readonly (readonly [fault: string, ms: number])[];
  readonly faults: number;
  readonly refusedStarts: readonly string[];
}

const inflictAll = async (
  platform: FaultPlatform,
  { faults, betweenMs, seed, over }: FaultRunOptions,
): Promise<(readonly [string, number])[]> => {
  const draw = seededBelow(seed - 1);
  const recoveredMs: (readonly [string, number])[] = [];
  await sleep(betweenMs);
  for (const { name, inflict, isHurried = false } of faults) {
    await inflict(platform);
    expect(platform.crashes).toEqual([]);
    if (!isHurried) {
      const ms = Math.round(await platform.healthy());
      recoveredMs.push([name, ms]);
      over?.(name, ms);
    } else over?.(`${name} (hurried)`, Number.NaN);
    await sleep(betweenMs / 2 + draw(betweenMs / 2));
  }
  await platform.healthy();
  expect(platform.crashes).toEqual([]);
  return recoveredMs;
};

const underLoad = async (
  platform: FaultPlatform,
  load: PartnerLoad,
  options: FaultRunOptions,
): Promise<FaultRun> => {
  const recoveredMs = await inflictAll(platform, options);
  const report = await load.finish();
  const judgement = await judge(platform, load, report);
  expect(platform.crashes).toEqual([]);
  const { answers, begun } = report;
  const { refusedStarts } = platform;
  return {
    answers,
    begun,
    ...judgement,
    recoveredMs,
    faults: options.faults.length,
    refusedStarts,
  };
};

export const runFaults = async (options: FaultRunOptions): Promise<FaultRun> => {
  const platform = await startFaultPlatform(options);
  try {
    await platform.query(liftLimits);
    const walletOf = async (taxId: string): Promise<string> => {
      const text = "select wallet_id from borsello.wallet where tax_id = $1";
      return String((await platform.query(text, [taxId]))[0]?.["wallet_id"]);
    };
    const load = await startPartnerLoad(platform, { ...options, walletOf });
    try {
      return await underLoad(platform, load, options);
    } finally {
      await load.stop();
    }
  } finally {
    await platform.end();
  }
};
