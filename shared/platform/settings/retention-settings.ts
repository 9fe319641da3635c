/** How long is kept what only tells of the past: settings of their own, each with its unit in its name. */
import { z } from "zod";
import { settingShapes } from "./setting-shapes.js";

const days = z.coerce.number().int().min(1).max(36_500);
const daysShape = { shape: "a whole number of days from 1 to 36500" };

export const retentionSettings = {
  RETENTION_EVENT_DAYS: days.default(30).register(settingShapes, daysShape),
  RETENTION_RUN_DAYS: days.default(30).register(settingShapes, daysShape),
  RETENTION_ANSWER_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(8_760)
    .default(24)
    .register(settingShapes, { shape: "a whole number of hours from 1 to 8760" }),
  RETENTION_AUDIT_DAYS: days.optional().register(settingShapes, daysShape),
};

export interface Retention {
  /** Of messages that were sent; those that wait are kept however old they are. */
  readonly eventDays: number;
  /** Of runs of flows that are over. */
  readonly runDays: number;
  /** Of first answers to calls with an Idempotency-Key. */
  readonly answerHours: number;
  /** Of audit rows; null: for ever. */
  readonly auditDays: number | null;
}

export const retentionOf = (settings: {
  readonly RETENTION_EVENT_DAYS: number;
  readonly RETENTION_RUN_DAYS: number;
  readonly RETENTION_ANSWER_HOURS: number;
  readonly RETENTION_AUDIT_DAYS?: number | undefined;
}): Retention => ({
  eventDays: settings.RETENTION_EVENT_DAYS,
  runDays: settings.RETENTION_RUN_DAYS,
  answerHours: settings.RETENTION_ANSWER_HOURS,
  auditDays: settings.RETENTION_AUDIT_DAYS ?? null,
});
