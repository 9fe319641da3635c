/** The refusals of the decisions about bank notifications, and of the trigger of their flow. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import {
  approveBankNotificationRoute,
  rejectBankNotificationRoute,
} from "../../../shared/contracts/accounting/bank-notifications.js";
import { triggerBankNotificationsRoute } from "../../../shared/contracts/settlement/flows.js";
import {
  approveNotification,
  rejectNotification,
} from "../../../shared/database/bank/notification-decisions.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { RefusalCase } from "../platform/refusal-cases.js";
import { acme, made } from "../wallet/wallet-fixtures.js";
import type { WalletStates } from "../wallet/wallet-states.js";

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057";

const Account = z.object({ iban: z.string() });

/** A transfer to acme's account that fits nobody; resolves to its id. */
const unmatched = async (database: Database): Promise<string> => {
  const account = await database.row(
    Account,
    `select borsello.collection_account(partner) as iban from borsello.partner
     where partner_key = 'acme'`,
  );
  const received = await receiveNotification(database, {
    ...{ type: "IncomingSctStandard", amount: 5, reason: "a present" },
    ...{ debtorName: "Somebody", debtorIban: "IT60X0542811101000000123456", creditorName: null },
    creditorIban: account?.iban ?? "",
    transactionReference: randomUUID(),
    paymentGatewayReference: null,
    receptionDate: "2026-01-15T09:30:00.000Z",
  });
  if (received.result !== "stored") throw new Error(`the notification is ${received.result}`);
  return received.bankNotificationId;
};

export const notificationCases = (
  { validated, inStatus, ofGlobex, nowhere }: WalletStates,
  read: () => Database,
): readonly RefusalCase[] => {
  const consumed = async (): Promise<string> => {
    const id = await unmatched(read());
    made(await approveNotification(read(), acme, id, await validated()));
    return id;
  };
  const rejected = async (): Promise<string> => {
    const id = await unmatched(read());
    made(await rejectNotification(read(), acme, id));
    return id;
  };
  const of = (given: () => Promise<string>) => async () => ({
    params: { bankNotificationId: await given() },
  });
  const trigger = { route: triggerBankNotificationsRoute, given: nowhere } as const;
  const naming = (code: RefusalCase["code"], given: RefusalCase["given"]): RefusalCase => ({
    ...{ route: approveBankNotificationRoute, code, given },
    prepare: async (walletId) => ({
      params: { bankNotificationId: await unmatched(read()) },
      body: { walletId },
    }),
  });
  return [
    ...[approveBankNotificationRoute, rejectBankNotificationRoute].flatMap(
      (route): RefusalCase[] => [
        {
          ...{ route, code: "BankNotificationNotFound", given: nowhere },
          params: { bankNotificationId: unknown },
          says: { bankNotificationId: unknown },
        },
        {
          ...{ route, code: "BankNotificationNotFound", given: nowhere, as: "globex" },
          prepare: of(() => unmatched(read())),
        },
        {
          ...{ route, code: "BankNotificationConsumed", given: nowhere, prepare: of(consumed) },
          says: { status: "Consumed" },
        },
        {
          ...{
            route,
            code: "BankNotificationStatusInvalid",
            given: nowhere,
            prepare: of(rejected),
          },
          says: { status: "RejectionRequested" },
        },
      ],
    ),
    {
      ...{ route: approveBankNotificationRoute, code: "BankNotificationStatusInvalid" },
      ...{ given: nowhere, prepare: of(() => unmatched(read())) },
      says: { walletId: "It fits no wallet and no store: name the wallet." },
    },
    {
      ...naming("BankNotificationStatusInvalid", inStatus("Suspended")),
      says: { status: "Received", walletStatus: "Suspended" },
    },
    naming("WalletNotFound", nowhere),
    naming("WalletOfAnotherPartner", ofGlobex),
    { ...trigger, code: "FlowTypeInvalid" },
    { ...trigger, code: "FlowTypeInvalid", query: "type=CashDeposit" },
    {
      ...{ ...trigger, code: "BankNotificationNotFound" },
      query: `type=IncomingSdd&bankNotificationId=${unknown}`,
      says: { bankNotificationId: unknown, type: "IncomingSdd" },
    },
  ];
};
