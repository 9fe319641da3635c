/** What ibanValidation does: looks at its attempt, matches transfers, expires it. */
import type { Database } from "../shared/database/platform/database.js";
import { ibanState } from "../shared/database/onboarding/flow-state.js";
import { expireIbanValidation, matchSct } from "../shared/database/onboarding/iban-validations.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { expireIban, matchFirstSct, readIbanValidation } from "./iban-validation.flow.js";

/** The wallet was deleted for good, or never had this attempt. */
const unknown = () => ({
  status: "Unknown" as const,
  code: "",
  expiresAt: new Date(0).toISOString(),
  feedback: null,
  untried: [],
});

export const ibanValidationActivities = (database: Database): readonly Activity[] => [
  activity(
    readIbanValidation,
    async (attempt) => (await ibanState(database, attempt)) ?? unknown(),
  ),
  activity(matchFirstSct, async (sct) => {
    const { result } = await matchSct(database, sct);
    return { validated: result === "validated" };
  }),
  activity(expireIban, async (attempt) => {
    await expireIbanValidation(database, attempt);
    return null;
  }),
];
