/** Each route of the card API besides accounts and cards, through HTTP: its success, its refusals, its words. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountEndpoints } from "../../functions/card/accounts.js";
import { addressEndpoints } from "../../functions/card/addresses.js";
import { cardEndpoints } from "../../functions/card/cards.js";
import { endpointsOf } from "../../functions/endpoints.js";
import { errorTable } from "../../shared/contracts/errors.js";
import { clearingCases } from "../support/card/clearing-cases.js";
import { openCardDesk, type CardDesk } from "../support/card/card-desk.js";
import { useCases, type UseMeans } from "../support/card/use-cases.js";

let desk: CardDesk;
beforeAll(async () => {
  desk = await openCardDesk();
});
afterAll(() => desk.stop());

const means: UseMeans = {
  database: () => desk.database,
  ask: (route, call) => desk.ask(route, call),
};
const cases = [...useCases(means), ...clearingCases(means)];

test.each(cases.map((row) => ({ what: "", ...row, id: row.route.id })))(
  "$id: $code $what",
  async ({ route, code, given }) => {
    const { status, body } = await desk.ask(route, await given());
    if (code === "ok") expect([status, body]).toEqual([route.ok.status, body]);
    else expect([status, body]).toMatchObject([errorTable[code].status, { errorCode: code }]);
  },
);

const ofCards = [...accountEndpoints, ...addressEndpoints, ...cardEndpoints].map(
  ({ route }) => route.id,
);

test("each success and each refusal that these routes declare has a row here", () => {
  const declared = endpointsOf("development").flatMap(({ route: { id, api, errors } }) =>
    api === "card" && !ofCards.includes(id)
      ? ["ok", ...errors].map((code) => `${id}: ${code}`)
      : [],
  );
  const reached = new Set(cases.map(({ route, code }) => `${route.id}: ${code}`));
  expect([...reached].toSorted()).toEqual(declared.toSorted());
});
