/** GET /docs: where a developer begins. */
import { getDocsRoute } from "../../shared/contracts/platform/documentation.js";
import { html, type Html } from "./html.js";
import { hasSandbox, pageEndpoint, type PageContent } from "./pages.js";

interface Card {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

const references: readonly Card[] = [
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

const sandboxReference: Card = {
  path: "/docs/reference/sandbox",
  title: "Sandbox",
  text: "The bank that answers by script, the clock that you move, the partners' credentials.",
};

const events: Card = {
  path: "/docs/events",
  title: "Events",
  text: "Every message on your own topic: when it is sent, its fields, an example.",
};

const cardOf = ({ path, title, text }: Card): Html =>
  html`<li>
    <a class="card" href="${path}"><strong>${title}</strong><span>${text}</span></a>
  </li>`;

const cards = (list: readonly Card[]): Html =>
  html`<ul class="cards">
    ${list.map(cardOf)}
  </ul>`;

const home = (isSandbox: boolean): PageContent => ({
  title: "Borsello for developers",
  path: "/docs",
  description:
    "Guides, API reference and events of the Borsello wallet, card and ticketing platform.",
  scripts: ["home.js"],
  body: html`<div class="sheet">
    <div class="hero">
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
    <h2>Reference</h2>
    <p>Every call with its fields, examples, errors, and a way to try it.</p>
    ${cards([...references, ...(isSandbox ? [sandboxReference] : []), events])}
    <h2>For machines</h2>
    <p>
      The same as documents: OpenAPI 3.1 of <a href="/openapi/wallet.json">wallet</a>,
      <a href="/openapi/card.json">card</a> and <a href="/openapi/ticketing.json">ticketing</a>;
      AsyncAPI 3.0 of the <a href="/asyncapi.json">events</a>.
    </p>
  </div>`,
});

export const homeEndpoint = pageEndpoint(getDocsRoute, (services) => home(hasSandbox(services)));
