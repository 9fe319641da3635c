/** GET /docs/errors: every error code by its status, what to do about it, and the calls that answer it. */
import type { ErrorEntry } from "../../shared/contracts/errors/entry.js";
import { errorTable, type ErrorCode } from "../../shared/contracts/errors.js";
import { getErrorsPageRoute } from "../../shared/contracts/platform/documentation.js";
import type { Route } from "../../shared/contracts/route.js";
import type { Services } from "../kit/services.js";
import { html, type Html } from "./html.js";
import { pageEndpoint, type PageContent } from "./pages.js";

interface StatusWords {
  readonly status: number;
  readonly title: string;
}

const statuses: readonly StatusWords[] = [
  { status: 400, title: "Correct the request" },
  { status: 401, title: "Show who you are" },
  { status: 403, title: "Not yours, or not your role" },
  { status: 404, title: "Not there" },
  { status: 405, title: "Another method" },
  { status: 409, title: "In the way at the moment" },
  { status: 413, title: "Too large" },
  { status: 415, title: "Another kind of content" },
  { status: 422, title: "The body, or the state of things" },
  { status: 429, title: "Slower" },
  { status: 500, title: "Our fault" },
  { status: 503, title: "Wait and repeat" },
];

/** More than these say no more than that any call may answer it. */
const namedMax = 40;

const callsWith = (code: ErrorCode, { routes }: Services): readonly Route[] =>
  routes.filter(({ api, errors }) => api !== "platform" && errors.includes(code));

const calls = (answering: readonly Route[]): Html =>
  answering.length === 0 || answering.length > namedMax
    ? html``
    : html`<details class="more">
        <summary>${answering.length} ${answering.length === 1 ? "call" : "calls"}</summary>
        <ul>
          ${answering.map(
            ({ api, id, summary }) =>
              html`<li><a href="/docs/reference/${api}/${id}">${summary}</a></li>`,
          )}
        </ul>
      </details>`;

const names = (words: readonly string[]): Html =>
  html`${words.map((word, place) => html`${place === 0 ? "" : ", "}<code>${word}</code>`)}`;

/** What a caller finds in its `errorProperties`. */
const properties = ({ properties: always = {}, mayHave = [], isByField }: ErrorEntry): Html => {
  const known = Object.keys(always).filter((name) => name !== "");
  if (isByField === true) return html`<p>Properties: each field that is wrong, by its name.</p>`;
  if (known.length + mayHave.length === 0) return html``;
  if (mayHave.length === 0) return html`<p>Properties: ${names(known)}.</p>`;
  return known.length === 0
    ? html`<p>Properties, where they help: ${names(mayHave)}.</p>`
    : html`<p>Properties: ${names(known)}; where they help, ${names(mayHave)}.</p>`;
};

const codes = Object.keys(errorTable) as readonly ErrorCode[];

const codesOf = (wanted: number): readonly ErrorCode[] =>
  codes.filter((code) => errorTable[code].status === wanted).sort();

const part = ({ status, title }: StatusWords, services: Services): Html =>
  html`<h2 id="status-${status}">
      ${status} · ${title}<a class="anchor" href="#status-${status}" aria-label="Link to ${status}"
        >#</a
      >
    </h2>
    <dl class="fields">
      ${codesOf(status).map(
        (code) =>
          html`<div class="field" id="${code}">
            <dt><code>${code}</code></dt>
            <dd>
              <p>${errorTable[code].description}</p>
              ${properties(errorTable[code])} ${calls(callsWith(code, services))}
            </dd>
          </div>`,
      )}
    </dl>`;

const content = (services: Services): PageContent => {
  const shown = statuses.filter(({ status }) => codesOf(status).length > 0);
  return {
    title: "Errors",
    path: "/docs/errors",
    description: "Every error code, what to do about it, and the calls that answer it.",
    styles: ["reference.css"],
    body: html`<div class="sheet with-aside">
      <article class="text">
        <h1>Errors</h1>
        <p class="lead">
          <code>errorCode</code> names what is wrong and stays the same;
          <code>errorDescription</code> says what to change; <code>errorProperties</code> tells what
          was found.
        </p>
        <p>
          What to repeat, and when: the guide
          <a href="/docs/guide/errors-and-retries">Errors and retries</a>. Each call's page lists
          its own codes.
        </p>
        ${shown.map((status) => part(status, services))}
      </article>
      <nav class="aside" aria-label="On this page">
        <h2>On this page</h2>
        <ul>
          ${shown.map(
            ({ status, title }) =>
              html`<li><a href="#status-${status}">${status} · ${title}</a></li>`,
          )}
        </ul>
      </nav>
    </div>`,
  };
};

export const errorsPageEndpoint = pageEndpoint(getErrorsPageRoute, content);
