/** The refusals of the event log. */
import { listEventsRoute } from "../../../shared/contracts/events/log.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { RefusalCase } from "../platform/refusal-cases.js";
import type { Given } from "../wallet/wallet-states.js";

const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
const reversed = "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z";
const typesSentence =
  "must be names of events, separated by commas, such as WalletCreated,WalletClosed.";
const anyNumber = "must be a whole number without a sign.";

/** `read` is called when a state is asked for: the database may open later. */
export const eventLogCases = (read: () => Database): readonly RefusalCase[] => {
  const nothing: Given = () => Promise.resolve(nobody);
  const forgotten: Given = async () => {
    await read().execute(
      `insert into borsello.forgotten_events (partner_key, through, created_through)
       values ('globex', 5, '2020-01-01T00:00:00Z') on conflict do nothing`,
    );
    return nobody;
  };
  const list = { route: listEventsRoute, given: nothing } as const;
  const query = (text: string, says: Readonly<Record<string, string>>): RefusalCase => ({
    ...{ ...list, code: "QueryParameterInvalid", query: text, says },
  });
  return [
    query("types=WalletCreated,Nothing", {
      types: typesSentence,
    }),
    query("types=", { types: typesSentence }),
    query("after=-1", { after: anyNumber }),
    query("after=1.5", { after: anyNumber }),
    query("after=9007199254740992", { after: "must be at most 9007199254740991." }),
    query("limit=0", { limit: "must be at least 1." }),
    query("limit=101", { limit: "must be at most 100." }),
    { ...list, code: "DateRangeInvalid", query: reversed },
    { ...list, code: "DateRangeInvalid", query: "from=yesterday" },
    {
      ...{ ...list, given: forgotten, as: "globex", code: "EventsForgotten", query: "after=4" },
      says: { after: "must be at least 5." },
    },
    {
      ...{ ...list, given: forgotten, as: "globex", code: "EventsForgotten" },
      query: "from=2019-12-31T23:59:59Z",
      says: { from: "must be later than 2020-01-01T00:00:00.000Z." },
    },
  ];
};
