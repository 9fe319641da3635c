/** What walletOnboarding does: reviews, reminders and the end, each one guarded statement. */
import type { Database } from "../shared/database/platform/database.js";
import {
  expireOnboarding as expire,
  remindOnboarding as remind,
  reviewOnboarding as review,
} from "../shared/database/onboarding/onboarding.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { expireOnboarding, remindOnboarding, reviewOnboarding } from "./wallet-onboarding.flow.js";

export const walletOnboardingActivities = (database: Database): readonly Activity[] => [
  activity(reviewOnboarding, (attempt) => review(database, attempt)),
  activity(remindOnboarding, async (attempt) => {
    await remind(database, attempt);
    return null;
  }),
  activity(expireOnboarding, async (attempt) => {
    await expire(database, attempt);
    return null;
  }),
];
