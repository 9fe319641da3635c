/** The page of one operation: what it takes and answers, on the left; trying it, on the right. */
import { eventCauses } from "../../../shared/contracts/events/causes.js";
import { codeBlock } from "../code.js";
import { html, type Html } from "../html.js";
import type { TryData } from "./call-plan.js";
import type {
  Payload,
  Reference,
  ReferenceOperation,
  ReferenceParameter,
  Refusal,
} from "./document.js";
import { fieldList, schemaFields, type Direction, type Row } from "./fields.js";
import { methodMark, sideNavigation } from "./navigation.js";
import { prose } from "./prose.js";
import { tryPanel } from "./try-panel.js";

/** A part of the page that can be linked to. */
const heading = (title: string): Html => {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return html`<h2 id="${id}">
    ${title}<a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a>
  </h2>`;
};

const credentialWords: Readonly<Record<string, string>> = {
  AuthKey: "The partner's own key, [given by the operators](/docs/guide/authentication).",
};

/** What shows who calls: the token, and what the API asks for beside it. */
const credentials = ({ isOpen, credentials: names }: ReferenceOperation): readonly Row[] => {
  if (isOpen) return [];
  const schema = { type: "string" };
  return [
    {
      name: "Authorization",
      schema,
      required: true,
      description: "`Bearer` and a token: [how to get one](/docs/guide/authentication).",
    },
    ...names.map((name) => ({
      name,
      schema,
      required: true,
      description: credentialWords[name] ?? "The partner's name.",
    })),
  ];
};

const places: readonly (readonly [ReferenceParameter["in"], string])[] = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
];

const parameters = (operation: ReferenceOperation, { schemas }: Reference): Html =>
  html`${places.map(([place, title]) => {
    const listed = [
      ...(place === "header" ? credentials(operation) : []),
      ...operation.parameters.filter((parameter) => parameter.in === place),
    ];
    return listed.length === 0 ? html`` : html`${heading(title)} ${fieldList(listed, schemas)}`;
  })}`;

const isJson = (mediaType: string): boolean => mediaType === "application/json";

const payload = (
  { mediaType, schema }: Payload,
  { schemas }: Reference,
  direction: Direction,
): Html =>
  isJson(mediaType) || mediaType.startsWith("application/x-www-form")
    ? schemaFields(schema, schemas, direction)
    : html`<p class="kind">bytes, <code>${mediaType}</code></p>`;

const jsonBlock = (value: unknown): Html =>
  codeBlock({ code: JSON.stringify(value, null, 2), language: "json" });

/** One status: its codes with what to do about each, and the body of the first of them. */
const refusal = ({ description, status, examples }: Refusal): Html => {
  const [example] = Object.values(examples);
  return html`<div class="refusal">
    <dt><span class="status">${status}</span></dt>
    <dd>
      ${prose(description)}
      ${
        example === undefined
          ? ""
          : html`<details class="inner">
              <summary>Example</summary>
              ${jsonBlock(example)}
            </details>`
      }
    </dd>
  </div>`;
};

/** The events that this call causes, where it is one that does. */
const eventsAfter = ({ id }: ReferenceOperation): Html => {
  const names = Object.keys(eventCauses).filter(
    (name) => eventCauses[name]?.commands.includes(id) === true,
  );
  return names.length === 0
    ? html``
    : html`<p>
        Events that follow:
        ${names.flatMap((name, place) => [
          ...(place === 0 ? [] : [", "]),
          html`<a href="/docs/events#${name}">${name}</a>`,
        ])}.
      </p>`;
};

const exampleAnswer = ({ example }: Payload): Html =>
  example === undefined
    ? html``
    : html`<h2>Example answer</h2>
        ${jsonBlock(example)}`;

export const operationBody = (
  api: string,
  operation: ReferenceOperation,
  reference: Reference,
  data: TryData,
): Html =>
  html`<div class="reference">
    ${sideNavigation(api, reference, operation.id)}
    <article class="operation">
      <div class="told">
        <h1>${operation.summary}</h1>
        <p class="address">${methodMark(operation.method)}<code>${operation.path}</code></p>
        ${prose(operation.description)} ${eventsAfter(operation)}
      </div>
      <div class="tried">
        ${tryPanel(operation, data)} ${operation.answers.slice(0, 1).map(exampleAnswer)}
      </div>
      <div class="details">
        ${parameters(operation, reference)}
        ${
          operation.body === undefined
            ? ""
            : html`${heading("Body")}
              ${operation.body.note === "" ? "" : prose(operation.body.note)}
              ${payload(operation.body, reference, "sent")}`
        }
        ${heading("Answer")}
        <p><span class="status good">${operation.success.status}</span></p>
        ${prose(operation.success.description)}
        ${operation.answers.map((answer) => payload(answer, reference, "told"))}
        ${heading("Refusals")}
        <p>
          What to repeat, and when: <a href="/docs/guide/errors-and-retries">Errors and retries</a>.
        </p>
        <dl class="refusals">${operation.refusals.map(refusal)}</dl>
      </div>
    </article>
  </div>`;
