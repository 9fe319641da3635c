/** The first page of an API's reference: what it is, and all its operations by subject. */
import { html, type Html } from "../html.js";
import type { Reference } from "./document.js";
import { methodMark, operationPath, searchBox } from "./navigation.js";
import { prose } from "./prose.js";

export const overviewBody = (api: string, reference: Reference): Html =>
  html`<div class="sheet overview-page">
    <h1>${reference.title}</h1>
    <div class="text">${prose(reference.description)}</div>
    <p class="soft">
      For machines: <a href="/openapi/${api}.json">OpenAPI 3.1</a>. Each operation has a page of its
      own, where it can be tried.
    </p>
    ${searchBox()}
    ${reference.tags.map(
      ({ name, description, operations }) =>
        html`<section class="subject" id="${name}">
          <h2>${name}<a class="anchor" href="#${name}" aria-label="Link to this part">#</a></h2>
          ${description === "" ? "" : html`<div class="text">${prose(description)}</div>`}
          <ul class="operation-list">
            ${operations.map(
              (operation) =>
                html`<li data-words="${operation.id.toLowerCase()}">
                  <a href="${operationPath(api, operation)}"
                    >${methodMark(operation.method)}<span>${operation.summary}</span
                    ><code>${operation.path}</code></a
                  >
                </li>`,
            )}
          </ul>
        </section>`,
    )}
  </div>`;
