/** GET …/statement: what moved in a wallet, as CSV or PDF. */
import { getStatementRoute, statementDays } from "../../shared/contracts/accounting/statement.js";
import { findStatement } from "../../shared/database/accounting/statement.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { statementCsv } from "../../shared/documents/statement-csv.js";
import { pdfLinesMax, statementPdf } from "../../shared/documents/statement-pdf.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import type { Period } from "../../shared/domain/ledger/statement.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

const dayMs = 86_400_000;

/** Up to now at most: what is still to come has no balance. */
const periodOf = (
  given: { readonly fromDate?: string | undefined; readonly toDate?: string | undefined },
  now: string,
): Outcome<Period, "DateRangeInvalid"> => {
  const toDate =
    given.toDate !== undefined && new Date(given.toDate) < new Date(now) ? given.toDate : now;
  const fromMs = new Date(toDate).getTime() - statementDays * dayMs;
  const fromDate = given.fromDate ?? new Date(fromMs).toISOString();
  if (new Date(fromDate) > new Date(now))
    return refusal("DateRangeInvalid", { fromDate: "must not be in the future." });
  const range = checkedRange({ fromDate, toDate });
  return range.ok ? success({ fromDate: new Date(fromDate), toDate: new Date(toDate) }) : range;
};

const tooLong = (movements: number) =>
  refusal("DateRangeInvalid", {
    toDate:
      `the period has ${movements} movements, a PDF at most ${pdfLinesMax}: ` +
      "ask for a shorter one, or for text/csv.",
  });

export const getStatementEndpoint = endpoint(
  getStatementRoute,
  async ({ database }, { params: { walletId }, query, caller, mediaType, ok, refuse }) => {
    const period = periodOf(query, await platformNow(database));
    if (!period.ok) return refuse(period);
    const found = await findStatement(database, caller, walletId, period.value);
    if (!found.ok) return refuse(found);
    const { head, pages } = found.value;
    const filename = `statement-${walletId}`;
    if (mediaType !== "application/pdf")
      return ok({ bytes: statementCsv(head, pages()), filename: `${filename}.csv` });
    if (head.movements > pdfLinesMax) return refuse(tooLong(head.movements));
    return ok({ bytes: await statementPdf(head, pages()), filename: `${filename}.pdf` });
  },
);
