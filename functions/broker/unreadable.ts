/** Why a message is dead-lettered that cannot be read: each field that is wrong, in a sentence. */
import type { z } from "zod";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import { issueProperties } from "../../shared/http/schema-issues.js";

/** The broker keeps a description of at most 4,096 characters. */
const descriptionMax = 1_000;

export const unreadable = ({ issues }: z.ZodError): DeadLetterReason => ({
  reason: "MessageInvalid",
  description: Object.entries(issueProperties(issues))
    .map(([place, sentence]) => `${place === "" ? "The body" : place} ${sentence}`)
    .join(" ")
    .slice(0, descriptionMax),
});
