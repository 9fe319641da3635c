/** The list of an API's operations beside each page of its reference, with the box that searches it. */
import { html, type Html } from "../html.js";
import type { Reference, ReferenceOperation, ReferenceTag } from "./document.js";

export const operationPath = (api: string, { id }: Pick<ReferenceOperation, "id">): string =>
  `/docs/reference/${api}/${id}`;

export const methodMark = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

export const searchBox = (): Html =>
  html`<input
    type="search"
    class="find"
    placeholder="Filter this list"
    aria-label="Filter this list"
    autocomplete="off"
  />`;

const item = (api: string, operation: ReferenceOperation, current: string): Html =>
  html`<li data-words="${`${operation.id} ${operation.path}`.toLowerCase()}">
    <a
      href="${operationPath(api, operation)}"
      ${operation.id === current ? html`aria-current="page"` : ""}
      >${methodMark(operation.method)}<span>${operation.summary}</span></a
    >
  </li>`;

const group = (api: string, { name, operations }: ReferenceTag, current: string): Html =>
  html`<details ${operations.some(({ id }) => id === current) ? html`open` : ""}>
    <summary>${name}</summary>
    <ul>
      ${operations.map((operation) => item(api, operation, current))}
    </ul>
  </details>`;

/** On a phone it is one line that opens. */
export const sideNavigation = (api: string, { tags }: Reference, current: string): Html =>
  html`<nav class="operations" aria-label="Operations">
    <button type="button" class="unfold" aria-expanded="false">All operations</button>
    <div class="list">
      ${searchBox()}
      <a class="overview" href="/docs/reference/${api}">Overview</a>
      ${tags.map((tag) => group(api, tag, current))}
    </div>
  </nav>`;
