/** The refusals of the partner's list of mandates, and of putting off a deposit. */
import * as list from "../../../shared/contracts/mandates/list.js";
import { triggerMandateDepositRequestRoute } from "../../../shared/contracts/settlement/deposit-trigger.js";
import { postponeDepositRoute } from "../../../shared/contracts/mandates/mandates.js";
import { ownership, pageRefusals, type RefusalCase } from "../platform/refusal-cases.js";
import type { WalletStates } from "./wallet-states.js";

const mandateId = "01890a5d-ac96-774b-bcce-b302099a8057";

export const mandateListCases = (states: WalletStates): readonly RefusalCase[] => {
  const { nowhere, validated, inStatus, withMandate } = states;
  const postpone = (
    code: RefusalCase["code"],
    given: RefusalCase["given"],
    says: Readonly<Record<string, string>> = {},
    newDepositDate = "2099-06-03",
  ): RefusalCase => ({
    ...{ route: postponeDepositRoute, code, given, says },
    query: `newDepositDate=${newDepositDate}`,
  });
  const dates = [
    ["DepositDateOnWeekend", "2099-06-06"],
    ["DepositDateNotBankDay", "2099-05-01"],
    ["DepositDateNotLater", "2020-06-03"],
  ] as const;
  const trigger = (query: string): Pick<RefusalCase, "route" | "given" | "query"> => ({
    ...{ route: triggerMandateDepositRequestRoute, given: nowhere, query },
  });
  return [
    { ...trigger(""), code: "QueryParameterInvalid" },
    { ...trigger(`mandateId=${mandateId}&amount=0`), code: "QueryParameterInvalid" },
    { ...trigger(`mandateId=${mandateId}&amount=1.005`), code: "QueryParameterInvalid" },
    { ...trigger(`mandateId=${mandateId}`), code: "MandateNotFound", says: { mandateId } },
    ...pageRefusals(list.listMandatesRoute, nowhere),
    {
      route: list.listMandatesRoute,
      code: "DateRangeInvalid",
      given: nowhere,
      query: "fromDate=2026-02-01T00:00:00Z&toDate=2026-01-01T00:00:00Z",
    },
    { route: list.getMandateRoute, code: "MandateNotFound", given: nowhere, params: { mandateId } },
    ...ownership(states, postponeDepositRoute).map(({ code, given }) => postpone(code, given)),
    ...dates.map(([code, newDepositDate]) =>
      postpone(code, withMandate("Active"), { newDepositDate }, newDepositDate),
    ),
    postpone("WalletNotActive", inStatus("Suspended"), { status: "Suspended" }),
    postpone("MandateNotFound", validated),
    postpone("MandateStatusInvalid", withMandate("Draft"), { mandateStatus: "Draft" }),
  ];
};
