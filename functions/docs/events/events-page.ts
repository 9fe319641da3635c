/** GET /docs/events: /asyncapi.json as a page, each event with its cause, its fields and an example. */
import { z } from "zod";
import { eventCatalogue } from "../../../shared/contracts/events/catalogue.js";
import { eventCauses } from "../../../shared/contracts/events/causes.js";
import { getEventsPageRoute } from "../../../shared/contracts/platform/documentation.js";
import type { Services } from "../../kit/services.js";
import { asyncApiOf } from "../../platform/asyncapi.js";
import { codeBlock } from "../code.js";
import { html, type Html } from "../html.js";
import { pageEndpoint, type PageContent } from "../pages.js";
import { schemaFields } from "../reference/fields.js";
import { prose } from "../reference/prose.js";
import { connecting } from "./connecting.js";

const Message = z.object({
  name: z.string(),
  summary: z.string(),
  description: z.string(),
  payload: z.object({ allOf: z.tuple([z.unknown(), z.unknown()]) }),
  examples: z.tuple([z.object({ headers: z.unknown(), payload: z.unknown() })]),
});
type Message = z.output<typeof Message>;

const Document = z.object({
  info: z.object({ description: z.string() }),
  components: z.object({
    messages: z.record(z.string(), Message),
    schemas: z.record(z.string(), z.unknown()),
  }),
});
type Schemas = Readonly<Record<string, unknown>>;

/** The catalogue's order is the reader's; a subject begins with the event that is named here. */
const subjects: ReadonlyMap<string, string> = new Map([
  ["WalletCreated", "Wallets"],
  ["IbanValidated", "Onboarding"],
  ["MandateStatusChanged", "Mandates"],
  ["OperationInitialized", "Operations"],
  ["OperationGroupInitialized", "Groups of operations"],
  ["TransactionConfirmed", "Movements of money"],
  ["StoreCreated", "Stores"],
  ["BankNotificationReceived", "Bank notifications"],
  ["TicketCreated", "Tickets"],
  ["ThreeDsResolved", "3-D Secure"],
  ["AccountLocked", "Card accounts and cards"],
  ["ClearingCompleted", "Clearing"],
]);

interface Subject {
  readonly title: string;
  readonly messages: Message[];
}

const bySubject = (messages: Readonly<Record<string, Message>>): readonly Subject[] => {
  const found: Subject[] = [];
  for (const { name } of eventCatalogue) {
    const message = messages[name];
    const title = subjects.get(name);
    if (title !== undefined) found.push({ title, messages: [] });
    if (message !== undefined) found.at(-1)?.messages.push(message);
  }
  return found;
};

/** Commands that are served here, as links to their pages. */
const causeOf = (name: string, { routes }: Services): Html => {
  const { commands, otherwise } = eventCauses[name] ?? { commands: [] };
  const links = commands.flatMap((id) => {
    const route = routes.find((known) => known.id === id);
    return route === undefined
      ? []
      : [html`<a href="/docs/reference/${route.api}/${id}">${route.summary}</a>`];
  });
  const listed = links.flatMap((link, place) => (place === 0 ? [link] : [html`, `, link]));
  const rest = otherwise === undefined ? "" : (links.length === 0 ? "" : "; ") + otherwise;
  return html`<p><strong>Caused by</strong> ${listed}${rest}.</p>`;
};

const event = (message: Message, services: Services, schemas: Schemas): Html => {
  const { name, summary, description, payload, examples } = message;
  return html`<details class="event" id="${name}">
    <summary><code>${name}</code><span>${summary}</span></summary>
    ${causeOf(name, services)} ${prose(description)}
    <h3>Fields <a class="soft" href="#envelope">beside the envelope's</a></h3>
    ${schemaFields(payload.allOf[1], schemas, "told")}
    <h3>Example</h3>
    ${codeBlock({ code: JSON.stringify(examples[0].payload, null, 2), language: "json", title: "Body" })}
    <p><a href="#${name}">Link to this event</a></p>
  </details>`;
};

const subjectId = (title: string): string => title.toLowerCase().replace(/[^a-z]+/g, "-");

const contents = (all: readonly Subject[]): Html =>
  html`<nav class="aside" aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      ${all.map(({ title }) => html`<li><a href="#${subjectId(title)}">${title}</a></li>`)}
      <li><a href="#message">A message</a></li>
      <li><a href="#connecting">Connecting</a></li>
    </ul>
  </nav>`;

const shared = (name: string, schemas: Schemas): Html =>
  schemaFields({ $ref: `#/components/schemas/${name}` }, schemas, "told");

const content = (services: Services): PageContent => {
  const { info, components } = Document.parse(asyncApiOf(services));
  const { schemas, messages } = components;
  const all = bySubject(messages);
  const subject = ({ title, messages: own }: Subject): Html =>
    html`<section class="subject">
      <h2 id="${subjectId(title)}">${title}</h2>
      ${own.map((message) => event(message, services, schemas))}
    </section>`;
  const [lead = "", ...rest] = info.description.split("\n\n");
  return {
    title: "Events",
    path: "/docs/events",
    description: "Every event that the platform tells its partners: cause, fields, example.",
    styles: ["reference.css", "events.css"],
    scripts: ["events.js"],
    body: html`<div class="sheet with-aside">
      <article class="text events">
        <h1>Events</h1>
        <div class="lead">${prose(lead)}</div>
        <p>
          How to read them without losing or doubling one: the guide
          <a href="/docs/guide/events">Events</a>. How to reach them:
          <a href="#connecting">connecting</a>. For machines:
          <a href="/asyncapi.json">AsyncAPI 3.0</a>.
        </p>
        <input
          type="search"
          class="find"
          placeholder="Filter by event or field"
          aria-label="Filter by event or field"
          autocomplete="off"
        />
        <p class="nothing" hidden>No event has all of these words.</p>
        ${all.map(subject)}
        <h2 id="message">A message</h2>
        ${prose(rest.join("\n\n"))}
        <h3 id="envelope">Envelope</h3>
        ${shared("Envelope", schemas)}
        <h3 id="properties">Application properties</h3>
        ${shared("MessageProperties", schemas)} ${connecting(services)}
      </article>
      ${contents(all)}
    </div>`,
  };
};

export const eventsPageEndpoint = pageEndpoint(getEventsPageRoute, content);
