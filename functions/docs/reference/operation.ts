/** The page of one operation: what it takes and answers, on the left; trying it, on the right. */
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
import { fieldList, schemaFields } from "./fields.js";
import { methodMark, sideNavigation } from "./navigation.js";
import { prose } from "./prose.js";
import { tryPanel } from "./try-panel.js";

const places: readonly (readonly [ReferenceParameter["in"], string])[] = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
];

const parameters = (operation: ReferenceOperation, { schemas }: Reference): Html =>
  html`${places.map(([place, title]) => {
    const listed = operation.parameters.filter((parameter) => parameter.in === place);
    return listed.length === 0
      ? html``
      : html`<h2>${title}</h2>
          ${fieldList(listed, schemas)}`;
  })}`;

const isJson = (mediaType: string): boolean => mediaType === "application/json";

const payload = ({ mediaType, schema }: Payload, { schemas }: Reference): Html =>
  isJson(mediaType) || mediaType.startsWith("application/x-www-form")
    ? schemaFields(schema, schemas)
    : html`<p class="kind">bytes, <code>${mediaType}</code></p>`;

const codes = ({ description, status }: Refusal): Html =>
  html`<div class="refusal">
    <dt><span class="status">${status}</span></dt>
    <dd>${prose(description)}</dd>
  </div>`;

const exampleAnswer = ({ example }: Payload): Html =>
  example === undefined
    ? html``
    : html`<h2>Example answer</h2>
        ${codeBlock({ code: JSON.stringify(example, null, 2), language: "json" })}`;

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
        ${prose(operation.description)}
      </div>
      <div class="tried">
        ${tryPanel(operation, data)} ${operation.answers.slice(0, 1).map(exampleAnswer)}
      </div>
      <div class="details">
        ${parameters(operation, reference)}
        ${
          operation.body === undefined
            ? ""
            : html`<h2>Body</h2>
                ${operation.body.note === "" ? "" : prose(operation.body.note)}
                ${payload(operation.body, reference)}`
        }
        <h2>Answer</h2>
        <p><span class="status good">${operation.success.status}</span></p>
        ${prose(operation.success.description)}
        ${operation.answers.map((answer) => payload(answer, reference))}
        <h2>Refusals</h2>
        <dl class="refusals">${operation.refusals.map(codes)}</dl>
      </div>
    </article>
  </div>`;
