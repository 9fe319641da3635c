/** The refusals of limits, PINs and the sandbox's card processor: what each is asked, and what it says. */
import { setCardLimitsRoute } from "../../../shared/contracts/card/limits.js";
import { changePinRoute } from "../../../shared/contracts/card/pins.js";
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import type { Route } from "../../../shared/contracts/route.js";
import {
  chargeFeeRoute,
  makePinTokenRoute,
  presentRoute,
} from "../../../shared/contracts/sandbox/card-processor.js";
import { makePinToken } from "../../../shared/database/card/pins.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { made } from "../wallet/wallet-fixtures.js";
import { issueCard, openAccount, type CardChanges } from "./cards.js";

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ProcessorCase {
  readonly route: Route;
  readonly code: ErrorCode;
  /** Prepares the state; resolves to the call, which acme makes. */
  readonly asked: () => Promise<Asked>;
}

/** An identifier of nothing. */
const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";

export const presentment = {
  ...{ amount: 12.34, currency: "EUR", merchantName: "Bar Sport", merchantCountry: "ITA" },
} as const;
export const fee = {
  ...{ amount: 1.5, currency: "EUR", feeType: "Monthly", feeCode: "M01" },
  feeDescription: "Monthly fee",
} as const;

/** `read` is called when a state is asked for: the database may open later. */
export const processorCases = (
  read: () => Database,
  soundCypher: () => Promise<string>,
): readonly ProcessorCase[] => {
  const cardOf = async (partnerKey = "acme", changes: CardChanges = {}): Promise<string> => {
    const { accountId } = await openAccount(read(), { partnerKey });
    return (await issueCard(read(), accountId, changes)).cardId;
  };
  /** Each call that names a card in its body refuses two. */
  const ofNamedCard = (route: Route, rest: Readonly<Record<string, unknown>>): ProcessorCase[] => [
    { route, code: "CardNotFound", asked: async () => ({ body: { ...rest, cardId: nowhere } }) },
    {
      ...{ route, code: "AccountOfAnotherAffiliate" },
      asked: async () => ({ body: { ...rest, cardId: await cardOf("globex") } }),
    },
  ];
  const foreign = (route: Route, rest: Readonly<Record<string, unknown>>): ProcessorCase => ({
    ...{ route, code: "CurrencyNotSupported" },
    asked: async () => ({ body: { ...rest, cardId: await cardOf(), currency: "USD" } }),
  });

  const limits = (
    code: ErrorCode,
    cardId: () => Promise<string>,
    { type = "dailyAtm", limit = 1 } = {},
  ): ProcessorCase => ({
    ...{ route: setCardLimitsRoute, code },
    asked: async () => ({
      params: { cardId: await cardId() },
      body: { limits: [{ type, limit, isDisabled: false }] },
    }),
  });

  const pin = (
    code: ErrorCode,
    partnerKey: string,
    changes: CardChanges,
    cypher: () => Promise<string>,
  ): ProcessorCase => ({
    ...{ route: changePinRoute, code },
    asked: async () => {
      const actor = { partnerKey, clientId: `${partnerKey}-client` };
      const cardId = await cardOf(partnerKey, changes);
      const token = made(await makePinToken(read(), actor, cardId));
      return { body: { token, cypher: await cypher() } };
    },
  });

  return [
    limits("CardNotFound", async () => nowhere),
    limits("AccountOfAnotherAffiliate", () => cardOf("globex")),
    limits("CardStatusInvalid", () => cardOf("acme", { status: "Blocked" })),
    limits("CardLimitTypeUnknown", cardOf, { type: "hourly" }),
    limits("AmountScaleInvalid", cardOf, { limit: 0.001 }),
    pin("PinTokenInvalid", "globex", {}, soundCypher),
    pin("CardStatusInvalid", "acme", { status: "Expired" }, soundCypher),
    pin("PinCypherInvalid", "acme", {}, async () => "MTIzNA=="),
    ...ofNamedCard(makePinTokenRoute, {}),
    ...ofNamedCard(presentRoute, presentment),
    foreign(presentRoute, presentment),
    ...ofNamedCard(chargeFeeRoute, fee),
    foreign(chargeFeeRoute, fee),
  ];
};
