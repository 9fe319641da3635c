/** The query parameter `at`: a moment of platform time that is not still to come. */
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import type { Services } from "./services.js";

export const pastMoment = async (
  { database }: Pick<Services, "database">,
  at: string,
): Promise<Outcome<Date, "QueryParameterInvalid">> => {
  const moment = new Date(at);
  const now = await platformNow(database);
  return moment > new Date(now)
    ? refusal("QueryParameterInvalid", { at: `must not be in the future: it is ${now} now.` })
    : success(moment);
};
