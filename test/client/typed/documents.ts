/** What compiles against openapi-typescript's types of each document, and what must not. */
import type { components as card } from "./card.js";
import type { paths as sandbox } from "./sandbox.js";
import type { components as ticketing, paths as ticketPaths } from "./ticketing.js";
import type { components, operations, paths } from "./wallet.js";

type Answer<Operation, Status extends number> = Operation extends {
  responses: Record<Status, { content: { "application/json": infer Body } }>;
}
  ? Body
  : never;

declare const wallet: Answer<operations["createWallet"], 200>;
const status: "Active" | "Suspended" | "Closed" = wallet.status;
// @ts-expect-error: not a status of wallets
const open: "Open" = wallet.status;
// @ts-expect-error: not a field of wallets
wallet.balance;

const body: NonNullable<operations["createWallet"]["requestBody"]>["content"]["application/json"] =
  {
    taxId: "RSSMRA85T10A562S",
    firstName: "Mario",
    lastName: "Rossi",
    phoneNumber: "+393331234567",
    email: "mario.rossi@example.com",
    originatingDealerKey: "dealer-rome",
  };
// @ts-expect-error: fields are missing
const partOf: typeof body = { taxId: body.taxId };
// @ts-expect-error: not a field of wallets
const more: typeof body = { ...body, nickname: "Mario" };

declare const refused: Answer<paths["/wallets"]["post"], 400>;
const code: "TaxIdInvalid" | string = refused.errorCode;
// @ts-expect-error: no status of this call
type Gone = paths["/wallets"]["post"]["responses"][410];

declare const operation: components["schemas"]["Operation"];
const type: "Payment" | string = operation.type;
// @ts-expect-error: not a type of operations
const gift: "Gift" = operation.type;

declare const item: card["schemas"]["Card"];
// @ts-expect-error: no card's number is ever shown
item.pan;

declare const error: ticketing["schemas"]["TicketingError"];
const sentence: string = error.error_description;
type Ticket = Answer<ticketPaths["/tickets/{casenumber}"]["get"], 200>;
declare const ticket: Ticket;
// @ts-expect-error: not a field of tickets
ticket.colour;

type Clock = NonNullable<sandbox["/clock"]["put"]["requestBody"]>["content"]["application/json"];
// @ts-expect-error: a moment is a text
const clock: Clock = { now: 5 };
