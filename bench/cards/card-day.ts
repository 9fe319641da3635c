/** A card of a wallet, step by step through the HTTP API: issued, used, challenged, cleared into its file. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Answer, Send, Tell } from "../platform/onboarding.js";
import { done, euro, waitFor } from "../platform/waiting.js";

const Account = z.object({ accountId: z.uuid() });
const Card = z.object({
  cardId: z.uuid(),
  maskedPan: z.string().nullable(),
  panToken: z.string().nullable(),
  expiryDate: z.string().nullable(),
});
const Authorised = z.object({ responseCode: z.string(), availableBalance: z.number() });
const Risk = z.object({ riskLevel: z.string() });
const Devices = z.array(z.object({ deviceId: z.string(), displayVal: z.string() })).length(1);
const Resolved = z.object({ status: z.string() });
const Transactions = z.object({ items: z.array(z.object({ status: z.string() })) });
const Bookmarks = z.object({
  items: z.array(
    z.object({ clearingBookmarkId: z.uuid(), clearingDate: z.string(), status: z.string() }),
  ),
});
const Outgoing = z.array(
  z.object({
    outgoingClearingId: z.uuid(),
    type: z.string(),
    fileName: z.string(),
    availableRecords: z.int(),
  }),
);

export interface DemoCard {
  readonly cardId: string;
  readonly cardToken: string;
}

const shop = { merchantName: "Bottega Appia", merchantCountry: "ITA" } as const;

/** The processor opens an account and issues a card, whose payments the wallet's money bears. */
export const openCard = async (send: Send, walletId: string, tell: Tell): Promise<DemoCard> => {
  const customerId = randomUUID();
  const opened = await send("POST", "/sandbox/card/accounts", {
    ...{ customerId, firstName: "Mario", lastName: "Rossi" },
    address: {
      ...{ type: "PermanentResidence", countryCode: "ITA", line1: "Via Roma 1", line2: null },
      ...{ line3: null, city: "Roma", postOffice: null, zipCode: "00184", province: "RM" },
      externalReference: null,
    },
  });
  const { accountId } = Account.parse(done("Account", opened).body);
  const account = `/card/accounts/${accountId}`;
  const [, there] = await waitFor(
    "Account",
    () => send("GET", account),
    (body) => Account.parse(body),
  );
  tell(`the card processor opened account ${accountId}`, there);
  const asked = await send("POST", `${account}/cards`, {
    ...{ cardHolderCustomerId: customerId, nameOnCard: "MARIO ROSSI", relationType: "Primary" },
    financialReference: walletId,
  });
  const { cardId } = Card.parse(done("Card", asked).body);
  tell("asked for a card that pays from the wallet", asked);
  const [{ maskedPan, panToken, expiryDate }, issued] = await waitFor(
    "The card's number",
    () => send("GET", `/card/cards/${cardId}`),
    (body) => {
      const card = Card.parse(body);
      return card.panToken === null ? undefined : card;
    },
  );
  tell(`the processor issued it: ${maskedPan ?? ""}, valid until ${expiryDate ?? ""}`, issued);
  return { cardId, cardToken: panToken ?? "" };
};

/** The card network asks whether a purchase may be; resolves to the code of the answer. */
export const purchase = async (
  send: Send,
  { cardToken }: DemoCard,
  amount: number,
  tell: Tell,
): Promise<string> => {
  const answer = await send("POST", "/card/o2i/simulations/request", {
    ...{ transactionId: randomUUID(), cardToken, cardScheme: 1, type: 0, source: "P", mcc: 5411 },
    ...{ billingAmount: amount, billingCurrency: 978, merchantCountry: 380 },
    merchantName: shop.merchantName,
  });
  const { responseCode, availableBalance } = Authorised.parse(done("Purchase", answer).body);
  const said =
    responseCode === "00"
      ? `approved (00), the wallet has ${euro(availableBalance)} left`
      : `declined (${responseCode})`;
  tell(`the card pays ${euro(amount)} at ${shop.merchantName}: ${said}`, answer);
  return responseCode;
};

export const limitPurchases = async (
  send: Send,
  { cardId }: DemoCard,
  limit: number,
  tell: Tell,
): Promise<void> => {
  const limits = [{ type: "perTransaction", limit, isDisabled: false }];
  const set = await send("PUT", `/card/cards/${cardId}/limits`, { limits });
  tell(`set the card's limit to ${euro(limit)} for each transaction`, done("Limits", set));
};

/** A purchase on the Internet that the card holder confirms on a device; resolves to how it ended. */
export const confirmPurchase = async (
  send: Send,
  { cardToken }: DemoCard,
  amount: number,
  tell: Tell,
): Promise<string> => {
  const step = async (name: string, path: string, body: object): Promise<Answer> =>
    done(name, await send("POST", `/card/3ds/${path}`, body));
  const which = { transactionId: randomUUID(), acsVersion: "2.2.0" };
  const risk = await step("Risk", "risk", {
    ...{ ...which, panToken: cardToken, merchantName: "Libreria Online", merchantFraudRate: 99 },
    ...{ purchaseAmount: String(Math.round(amount * 100)), purchaseExponent: 2 },
    ...{ purchaseCurrency: "978", acquirerMerchantId: "LIBRERIA-1" },
  });
  tell(
    `3-D Secure: a purchase of ${euro(amount)} has risk ${Risk.parse(risk.body).riskLevel}`,
    risk,
  );
  const listed = await step("Devices", "devices", {
    ...{ ...which, panToken: cardToken, authenticationType: "OobPush" },
  });
  const [device = { deviceId: "", displayVal: "" }] = Devices.parse(listed.body);
  const raised = await step("Challenge", "oob", { ...which, deviceId: device.deviceId });
  tell(`the challenge goes to the card holder's device ${device.displayVal}`, raised);
  const { transactionId } = which;
  const result = { transactionId, authenticated: true, authMethod: "07" };
  const pushed = await step("Result", "oob/result", result);
  const { status } = Resolved.parse(pushed.body);
  tell(`the card holder confirms it by fingerprint: ${status}`, pushed);
  return status;
};

export interface ClearingFile {
  readonly fileName: string;
  readonly lines: readonly string[];
}

/** The shop's bank asks for its money; resolves when the card holder sees it. */
export const present = async (
  send: Send,
  { cardId }: DemoCard,
  amount: number,
  tell: Tell,
): Promise<void> => {
  const presented = { cardId, amount, currency: "EUR", ...shop };
  done("Presentment", await send("POST", "/sandbox/card/presentments", presented));
  const [, arrived] = await waitFor(
    "Presentment",
    () => send("GET", `/card/cards/${cardId}/transactions`),
    (body) => Transactions.parse(body).items.find(({ status }) => status === "Presented"),
  );
  tell(`the shop's bank presents the ${euro(amount)}`, arrived);
};

/** Reads the affiliate's file of a day, once the day is cleared. */
export const readClearing = async (
  send: Send,
  clearingDate: string,
  tell: Tell,
): Promise<ClearingFile> => {
  const [{ clearingBookmarkId }, cleared] = await waitFor(
    "The clearing's end",
    () => send("GET", `/card/clearing/bookmarks?fromDate=${clearingDate}`),
    (body) =>
      Bookmarks.parse(body).items.find(
        (day) => day.clearingDate === clearingDate && day.status === "Completed",
      ),
  );
  tell("flow clearing took what was presented, added it up and wrote the file", cleared);
  const outgoing = `/card/clearing/bookmarks/${clearingBookmarkId}/outgoing`;
  const [file] = Outgoing.parse(done("Outgoing", await send("GET", outgoing)).body);
  if (file === undefined) throw new Error("The clearing wrote no file.");
  const read = done("File", await send("GET", `${outgoing}/${file.outgoingClearingId}/file`));
  if (!(read.body instanceof ArrayBuffer)) throw new Error("The clearing's file is none.");
  const lines = Buffer.from(read.body).toString("utf8").trimEnd().split("\n");
  if (lines.length !== file.availableRecords + 1)
    throw new Error(`The file has ${lines.length} lines for ${file.availableRecords} records.`);
  tell(`read the file: a header and ${file.availableRecords} record`, read);
  return { fileName: file.fileName, lines };
};
