/** The first page of an API's reference: what it is, and all its operations by subject. */
import { html, type Html } from "../html.js";
import type { SandboxCaller } from "./call-plan.js";
import type { Reference } from "./document.js";
import { methodMark, operationPath, searchBox } from "./navigation.js";
import { prose } from "./prose.js";

/** As whom one may call the sandbox: nothing of it is a secret. */
const partners = (callers: readonly SandboxCaller[]): Html =>
  callers.length === 0
    ? html``
    : html`<h2 id="partners">Partners</h2>
        <p class="text">
          They are always there. A call needs a token for the client's id and secret (<a
            href="/docs/guide/authentication"
            >Authentication</a
          >), and the AuthKey.
        </p>
        <div class="table" tabindex="0">
          <table>
            <thead>
              <tr>
                <th>Partner</th>
                <th>Client id</th>
                <th>Client secret</th>
                <th>AuthKey</th>
                <th>Dealers</th>
                <th>May</th>
              </tr>
            </thead>
            <tbody>
              ${callers.map(
                ({ name, clientId, clientSecret, authKey, dealers, may }) =>
                  html`<tr>
                    <td><code>${name}</code></td>
                    <td><code>${clientId}</code></td>
                    <td><code>${clientSecret}</code></td>
                    <td><code>${authKey}</code></td>
                    <td>${dealers.map((dealer) => html`<code>${dealer}</code> `)}</td>
                    <td>${may}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`;

export const overviewBody = (
  api: string,
  reference: Reference,
  callers: readonly SandboxCaller[],
): Html =>
  html`<div class="sheet overview-page">
    <h1>${reference.title}</h1>
    <div class="text">${prose(reference.description)}</div>
    <p class="soft">
      For machines: <a href="/openapi/${api}.json">OpenAPI 3.1</a>. Each operation has a page of its
      own, where it can be tried.
    </p>
    ${partners(callers)} ${searchBox()}
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
