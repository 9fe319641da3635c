/** GET /docs: where a developer begins. */
import { eventNamed } from "../../shared/contracts/events/catalogue.js";
import { getDocsRoute } from "../../shared/contracts/platform/documentation.js";
import { exampleOf } from "../../shared/contracts/story/examples.js";
import { codeBlock } from "./code.js";
import { html, type Html } from "./html.js";
import { hasSandbox, pageEndpoint, type PageContent } from "./pages.js";

interface Card {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

const apis: readonly Card[] = [
  {
    path: "/docs/reference/wallet",
    title: "Wallet Platform API",
    text: "Wallets, onboarding, mandates, payments and all other operations, stores, the books.",
  },
  {
    path: "/docs/reference/card",
    title: "Card Platform API",
    text: "Accounts, cards, limits, PINs, authorisations, 3-D Secure, clearing files.",
  },
  {
    path: "/docs/reference/ticketing",
    title: "Partner Ticketing API",
    text: "Tickets with comments and attachments, and what operators do with them.",
  },
];

const besideThem: readonly Card[] = [
  {
    path: "/docs/events",
    title: "Events",
    text: "Every message on your own topic: when it is sent, its fields, an example.",
  },
  {
    path: "/docs/errors",
    title: "Errors",
    text: "Every code, what to do about it, and the calls that answer it.",
  },
];

const sandbox: Card = {
  path: "/docs/reference/sandbox",
  title: "Sandbox",
  text: "The bank that answers by script, the clock that you move, the partners' credentials.",
};

const ways: readonly Card[] = [
  {
    path: "/docs/guide/getting-started",
    title: "In a terminal",
    text: "Ten minutes from an empty folder to a wallet, a payment and its event, with curl and Node.",
  },
  {
    path: "/docs/reference/wallet/createWallet",
    title: "In this browser",
    text: "Choose a partner of the sandbox and send: every call is filled in, with values that work.",
  },
  {
    path: "/docs/guide/errors-and-retries",
    title: "In your program",
    text: "What to check, repeat and keep, by a small function of your own or by our client package.",
  },
];

/** What each page of the walk leaves, the next one takes up. */
const walk = (): Html =>
  html`<p class="text">
    In this browser, by one click each:
    <a href="/docs/reference/wallet/createWallet">open a wallet</a>,
    <a href="/docs/reference/wallet/initialisePayment">initialise a payment</a> (the page opens a
    shop and puts money in first), <a href="/docs/reference/wallet/confirmPayment">confirm it</a>,
    and <a href="/docs/reference/wallet/listEvents">read what you were told</a> of all that, with
    <code>types</code> and <code>limit</code> left empty.
  </p>`;

const cardOf = ({ path, title, text }: Card): Html =>
  html`<li>
    <a class="card" href="${path}"><strong>${title}</strong><span>${text}</span></a>
  </li>`;

const cards = (list: readonly Card[]): Html =>
  html`<ul class="cards three">
    ${list.map(cardOf)}
  </ul>`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** What the platform is, in one call and the message that follows it. */
const glimpse = (): Html => {
  const { walletId, partnerKey, firstName } = eventNamed("WalletCreated")?.example ?? {};
  const message = json({ walletId, partnerKey, firstName }).replace(/\n\}$/, ",\n  …\n}");
  return html`<div class="glimpse">
    ${codeBlock({
      code: json(exampleOf("createWallet")?.body),
      language: "json",
      title: "You call POST /wallet/wallets",
    })}
    ${codeBlock({
      code: message,
      language: "json",
      title: "Your topic tells you WalletCreated",
    })}
  </div>`;
};

const home = (isSandbox: boolean): PageContent => ({
  title: "Borsello for developers",
  path: "/docs",
  description:
    "Guides, API reference and events of the Borsello wallet, card and ticketing platform.",
  scripts: ["home.js"],
  body: html`<div class="sheet">
    <div class="hero">
      <div>
        <h1>Wallets, cards and tickets for your customers</h1>
        <p class="lead">
          Borsello keeps wallets for the customers of shops, lenders and benefit providers. You call
          it over HTTP; it tells you of every change on a message topic of your own.
        </p>
        <p>
          <a class="button first" href="/docs/guide/getting-started">Get started</a
          ><a class="button" href="/docs/guide">All guides</a>
        </p>
      </div>
      ${glimpse()}
    </div>
    ${
      isSandbox
        ? html`<h2>Three ways in</h2>
            ${cards(ways)} ${walk()}`
        : ""
    }
    <h2>Reference</h2>
    <p>Every call with its fields, examples, errors, and a way to try it.</p>
    ${cards([...apis, ...besideThem, ...(isSandbox ? [sandbox] : [])])}
    <h2>For machines</h2>
    <p>
      The same as documents: OpenAPI 3.1 of <a href="/openapi/wallet.json">wallet</a>,
      <a href="/openapi/card.json">card</a> and <a href="/openapi/ticketing.json">ticketing</a>;
      AsyncAPI 3.0 of the <a href="/asyncapi.json">events</a>.
    </p>
  </div>`,
});

export const homeEndpoint = pageEndpoint(getDocsRoute, (services) => home(hasSandbox(services)));
