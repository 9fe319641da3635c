/** What each API is, for its document's first page. */
import type { DocumentedApi } from "./security.js";

export const titles: Readonly<Record<DocumentedApi, string>> = {
  ticketing: "Partner Ticketing API",
  wallet: "Wallet Platform API",
  card: "Card Platform API",
  sandbox: "Sandbox",
};

/** Of interfaces that have a version of their own; the others are as old as the application. */
export const versions: Readonly<Partial<Record<DocumentedApi, string>>> = { ticketing: "1.0" };

const guides =
  "New here? [Getting started](/docs/guide/getting-started) goes from a token to the first event; the other " +
  "[guides](/docs/guide) take one subject each.";

const whatItIs: Readonly<Record<DocumentedApi, string>> = {
  wallet:
    "Wallets for a partner's customers: onboarding, deposits, withdrawals and payments at stores, mandates, " +
    "settlement and the books behind them. What happens is told by [events](/docs/events).",
  card:
    "Cards that pay from wallets or other accounts: their life, limits and PINs, authorisations (O2I), 3-D Secure " +
    "and clearing. What happens is told by [events](/docs/events).",
  ticketing:
    "Requests for help that a partner hands to the platform's operators: tickets with comments, attachments and " +
    "a time by which each is to be resolved.",
  sandbox:
    "What stands for the outside world, in development and testing: an identity provider, a bank that is scripted, " +
    "a card processor, and a clock that can be moved forward. Production has none of it.",
};

const authentication: Readonly<Record<DocumentedApi, string>> = {
  wallet:
    "A bearer token (OAuth 2.0, client credentials), the header `AuthKey` and the header `Partner` with the " +
    "partner's name.",
  card:
    "A bearer token (OAuth 2.0, client credentials), the header `AuthKey` and the header `X-Affiliate` with the " +
    "partner's name.",
  ticketing: "A bearer token (OAuth 2.0, client credentials), and nothing else.",
  sandbox:
    "A bearer token of the partner concerned, with the role `Sandbox.Use`; the token endpoint and the keys are " +
    "open to everyone. `x-borsello-partners` lists the partners that exist, with their credentials.",
};

const errorForm: Readonly<Record<DocumentedApi, string>> = {
  wallet:
    "`errorCode` names what is wrong, `errorDescription` says what to change, `errorProperties` what was found.",
  card: "`errorCode` names what is wrong, `errorDescription` says what to change, `errorProperties` what was found.",
  ticketing:
    "`error` is the status in words, `error_description` says what is wrong and what to change.",
  sandbox:
    "`errorCode` names what is wrong, `errorDescription` says what to change; the token endpoint answers in " +
    "OAuth's words.",
};

const repeats: Readonly<Record<DocumentedApi, string>> = {
  wallet:
    "Creations take the header `Idempotency-Key`, operations have an `idempotencyKey` in their body: the same " +
    "key with the same request gets the first answer again.",
  card: "Creations take the header `Idempotency-Key`: the same key with the same request gets the first answer again.",
  ticketing:
    "Creations take the header `Idempotency-Key`: the same key with the same request gets the first answer again.",
  sandbox: "Each call is an act of its own; settings hold until they are set anew.",
};

const pages: Readonly<Partial<Record<DocumentedApi, string>>> = {
  wallet:
    "`pageSize` (1 to 200) and `pageNumber` (from 0); `totalCount` counts the items of all pages.",
  card: "`pageSize` (1 to 200) and `pageNumber` (from 0); `totalCount` counts the items of all pages.",
  ticketing: "`page` counts from 0; a page behind the last one is empty.",
};

export const descriptionOf = (api: DocumentedApi): string => {
  const paging = pages[api];
  return [
    whatItIs[api],
    guides,
    `**Authentication.** ${authentication[api]}`,
    `**Errors.** ${errorForm[api]} 5xx and 429 may be repeated; \`Retry-After\` says when.`,
    `**Repeats.** ${repeats[api]}`,
    ...(paging === undefined ? [] : [`**Pages.** ${paging}`]),
    "**Request id.** Every answer carries `X-Request-Id`, the caller's own or a new one: it names the call in the " +
      "platform's log.",
  ].join("\n\n");
};
