/** The risk of a card transaction. */
import { assessRiskRoute } from "../../shared/contracts/threeds/risk.js";
import { assessRisk as assess } from "../../shared/database/threeds/risk.js";
import { endpoint } from "../kit/endpoint.js";

export const assessRisk = endpoint(
  assessRiskRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const { lowValueUses, lowValueSumCents } = caller.settings.cards.threeDs;
    const terms = { uses: lowValueUses, sumCents: BigInt(lowValueSumCents) };
    const assessed = await assess(database, caller, terms, body);
    return assessed.ok ? ok(assessed.value) : refuse(assessed);
  },
);
