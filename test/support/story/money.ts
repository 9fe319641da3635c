/** A day with the wallet: Mario pays in at the till, is given welfare and points, pays, and takes money out. */
import { z } from "zod";
import * as groups from "../../../shared/contracts/operations/groups.js";
import { bulkCancelRoute, bulkConfirmRoute } from "../../../shared/contracts/operations/bulk.js";
import { operationFamilies } from "../../../shared/contracts/operations/families.js";
import { getOperationRoute } from "../../../shared/contracts/operations/lists.js";
import { executeO2iPaymentRoute } from "../../../shared/contracts/operations/o2i.js";
import * as told from "../../../shared/contracts/story/story.js";
import type { FamilyType } from "../../../shared/domain/operations/families.js";
import type { Customer, Shop } from "./onboarding.js";
import type { Story } from "./teller.js";

type Body = Readonly<Record<string, unknown>>;
export const Made = z.object({ operationId: z.uuid(), bucketId: z.uuid() });

const keyCharacters = 12;
/** As a partner makes them: from what names the sale at its till. */
const keyOf = (receipt: number): string =>
  `acme-till-3-receipt-${String(receipt).padStart(keyCharacters, "0")}`;

const routesOf = (type: FamilyType) => {
  const found = operationFamilies.find((family) => family.type === type);
  if (found === undefined) throw new Error(`no routes of ${type}`);
  return found;
};

/** What a family's body says besides amount and key. */
const particulars = ({ storeId }: Shop): Readonly<Record<FamilyType, Body>> => {
  const tags = { till: "3" };
  return {
    CashDeposit: { storeId, operationGroupId: null, tags },
    CashWithdrawal: { storeId, tags },
    LoyaltyDeposit: { storeId, fundsExpiryDate: "2025-12-31", tags },
    WelfareDeposit: {
      dealerKey: told.dealerKey,
      fundsExpiryDate: "2025-12-31",
      tags: { agreement: "meal-vouchers" },
    },
    Payment: { storeId, tags },
    SctWithdrawal: { tags: { channel: "app" } },
  };
};

const onlyInitialised = ["operationGroupId"];

/** Each family in its hour: one that stays, one that is cancelled, one that is taken back. */
const spendsHour = async (
  { at, tell, call, name }: Story,
  { walletId }: Customer,
  [type, hour, amount, receipt]: readonly [FamilyType, string, number, number],
  body: Body,
): Promise<z.output<typeof Made>> => {
  const routes = routesOf(type);
  const params = { walletId };
  const simulation = Object.entries(body).filter(([name]) => !onlyInitialised.includes(name));
  await at(`2025-03-05T${hour}:00`);
  await tell(routes.simulate, { params, body: { amount, ...Object.fromEntries(simulation) } });
  const initial = { idempotencyKey: keyOf(receipt), amount, ...body };
  const made = Made.parse(await tell(routes.initialise, { params, body: initial }));
  await at(`2025-03-05T${hour}:01`);
  await tell(routes.confirm, { params: { walletId, operationId: made.operationId } });

  const another = async (number: number): Promise<{ walletId: string; operationId: string }> => {
    const given = { ...initial, idempotencyKey: keyOf(number), amount: 5 };
    const { operationId } = Made.parse(await call(routes.initialise, { params, body: given }));
    return { walletId, operationId };
  };
  const dropped = await another(receipt + 1);
  if (type === "Payment") name(dropped.operationId, told.cancelledPaymentId);
  await tell(routes.cancel, { params: dropped });
  const returned = await another(receipt + 2);
  // Within the minute: the next one begins to settle transfers.
  await call(routes.confirm, { params: returned });
  await tell(routes.terminate, { params: returned });
  return made;
};

/** A sale with its points, confirmed together; one that is cancelled, one that is taken back. */
const buysInGroups = async (
  { at, tell, call, name }: Story,
  { walletId }: Customer,
  { storeId }: Shop,
): Promise<void> => {
  const params = { walletId };
  const join = async (operationGroupId: string, receipt: number): Promise<void> => {
    const tags = { till: "3" };
    const sale = { storeId, operationGroupId, tags };
    const payment = { ...sale, amount: 12.5, idempotencyKey: keyOf(receipt) };
    await call(routesOf("Payment").initialise, { params, body: payment });
    const points = { ...sale, fundsExpiryDate: "2025-12-31", amount: 1.25 };
    const body = { ...points, idempotencyKey: keyOf(receipt + 1) };
    await call(routesOf("LoyaltyDeposit").initialise, { params, body });
  };
  await at("2025-03-05T15:00");
  const body = { idempotencyKey: keyOf(4_780) };
  const { operationGroupId } = await tell(groups.initialiseGroupRoute, { params, body });
  name(operationGroupId, told.operationGroupId);
  await join(operationGroupId, 4_781);
  await tell(groups.getPendingGroupRoute, { params });
  await at("2025-03-05T15:01");
  const one = { params: { walletId, operationGroupId } };
  await tell(groups.confirmGroupRoute, one);
  await tell(groups.getGroupRoute, one);

  await at("2025-03-05T15:10");
  for (const [receipt, route] of [
    [4_784, groups.cancelGroupRoute],
    [4_787, groups.terminateGroupRoute],
  ] as const) {
    const key = { idempotencyKey: keyOf(receipt) };
    const other = await call(groups.initialiseGroupRoute, { params, body: key });
    if (route === groups.cancelGroupRoute) name(other.operationGroupId, told.cancelledGroupId);
    await join(other.operationGroupId, receipt + 1);
    await tell(route, { params: { walletId, operationGroupId: other.operationGroupId } });
  }
  await tell(groups.listGroupsRoute, { params, query: { fromDate: "2025-03-05T00:00:00.000Z" } });
};

/** Two sales at once, and two that are dropped. */
const buysInBulk = async (
  { at, tell, call }: Story,
  { walletId }: Customer,
  { storeId }: Shop,
): Promise<void> => {
  const asked = async (receipts: readonly number[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const receipt of receipts) {
      const amount = receipt % 2 === 0 ? 4.8 : 3.2;
      const body = { storeId, amount, idempotencyKey: keyOf(receipt), tags: { till: "3" } };
      const made = await call(routesOf("Payment").initialise, { params: { walletId }, body });
      ids.push(Made.parse(made).operationId);
    }
    return ids;
  };
  await at("2025-03-05T16:00");
  const operationIds = await asked([4_791, 4_792]);
  await tell(bulkConfirmRoute, { body: { operationIds, atomic: true } });
  const dropped = await asked([4_793, 4_794]);
  await tell(bulkCancelRoute, { body: { operationIds: dropped, atomic: false } });
};

/** A card of another issuer that is paid from the wallet. */
const paysByO2i = async ({ at, tell }: Story, { walletId }: Customer): Promise<void> => {
  await at("2025-03-05T16:30");
  await tell(executeO2iPaymentRoute, {
    body: {
      transactionId: "250305163000004711",
      refTransactionId: null,
      transactionDateTime: "2025-03-05T16:30:00.000Z",
      processDateTime: "2025-03-05T16:30:00.000Z",
      ...{ transactionAmount: 9.9, transactionCurrency: 978 },
      ...{ billingAmount: 9.9, billingCurrency: 978 },
      ...{ terminalId: "T0000042", mcc: "5411", merchantId: "000000004711" },
      ...{ merchantName: "Alimentari Esposito", merchantStreet: "Via Cavour 20" },
      ...{ merchantCity: "Roma", merchantZip: "00184", merchantCountry: 380 },
      ...{ cardToken: "4000001234", authorizationCode: "482913", cardScheme: 1, type: 0 },
      ...{ stan: "000042", source: "P", entryMode: 7, authentication: 1 },
      ...{ authenticationProtocol: 0, virtualCardNumberId: null, wallet: 0 },
      ...{ responseCode: null, tags: null, financialReference: walletId },
    },
  });
};

/** The withdrawal is settled before the day goes on. */
const reachesBank = async (
  { at, call, until }: Story,
  { walletId }: Customer,
  operationId: string,
): Promise<void> => {
  await at("2025-03-05T14:05");
  await until(
    () => call(getOperationRoute, { params: { walletId, operationId } }),
    ({ status }) => status === "Completed",
  );
};

/** What later chapters come back to. */
export interface Day {
  readonly paymentId: string;
}

export const spendDay = async (story: Story, customer: Customer, shop: Shop): Promise<Day> => {
  const body = particulars(shop);
  const hours = [
    ["CashDeposit", "09", 100, 4_701],
    ["WelfareDeposit", "10", 50, 4_711],
    ["LoyaltyDeposit", "11", 5, 4_721],
    ["Payment", "12", 18.4, 4_731],
    ["CashWithdrawal", "13", 10, 4_741],
    ["SctWithdrawal", "14", 25, 4_751],
  ] as const;
  const made = new Map<FamilyType, z.output<typeof Made>>();
  for (const hour of hours)
    made.set(hour[0], await spendsHour(story, customer, hour, body[hour[0]]));
  const [payment, withdrawal] = [made.get("Payment"), made.get("SctWithdrawal")];
  if (payment === undefined || withdrawal === undefined) throw new Error("nothing was made");
  story.name(payment.operationId, told.operationId);
  story.name(payment.bucketId, told.bucketId);
  story.name(withdrawal.operationId, told.withdrawalId);
  await reachesBank(story, customer, withdrawal.operationId);
  await buysInGroups(story, customer, shop);
  await buysInBulk(story, customer, shop);
  await paysByO2i(story, customer);
  return { paymentId: payment.operationId };
};
