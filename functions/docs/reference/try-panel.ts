/** The form by which a reader tries an operation; functions/docs/browser/try.ts brings it to life. */
import { html, type Html } from "../html.js";
import type { TryData } from "./call-plan.js";
import type { ReferenceOperation, ReferenceParameter } from "./document.js";

const given = (data: TryData, { name, in: place }: ReferenceParameter): string =>
  (place === "path" ? data.plan.call.example.path : data.plan.call.example.query)?.[name] ?? "";

const field = (data: TryData, parameter: ReferenceParameter): Html =>
  html`<label class="value"
    ><span>${parameter.name}${parameter.required === true ? "" : html` <i>optional</i>`}</span
    ><input
      name="${parameter.name}"
      data-in="${parameter.in}"
      value="${given(data, parameter)}"
      autocomplete="off"
      spellcheck="false"
      ${parameter.required === true ? html`required` : ""}
  /></label>`;

const fields = (operation: ReferenceOperation, data: TryData): Html => {
  const [path, query] = (["path", "query"] as const).map((place) =>
    operation.parameters.filter((parameter) => parameter.in === place),
  );
  const wanted = (query ?? []).filter(
    (parameter) => parameter.required === true || given(data, parameter) !== "",
  );
  const others = (query ?? []).filter((parameter) => !wanted.includes(parameter));
  return html`${[...(path ?? []), ...wanted].map((parameter) => field(data, parameter))}
  ${
    others.length === 0
      ? ""
      : html`<details class="more">
          <summary>${others.length} optional in the query</summary>
          ${others.map((parameter) => field(data, parameter))}
        </details>`
  }
  ${
    data.plan.call.takesKey
      ? html`<label class="value"
          ><span>Idempotency-Key</span
          ><input name="Idempotency-Key" data-in="header" autocomplete="off" spellcheck="false"
        /></label>`
      : ""
  }`;
};

const lineCount = (text: string): number => text.split("\n").length;

const written = (example: unknown): string =>
  typeof example === "string" ? example : JSON.stringify(example, null, 2);

const bodyField = ({ body }: ReferenceOperation, { plan: { call } }: TryData): Html => {
  if (body === undefined) return html``;
  const isBytes = body.mediaType !== "application/json" && !body.mediaType.includes("form");
  const example = call.example.body ?? body.example;
  const text = example === undefined ? "" : written(example);
  return html`<label class="value"
      ><span>Body</span
      ><textarea
        name="body"
        data-type="${body.mediaType}"
        rows="${Math.min(Math.max(lineCount(text), 3), 24)}"
        spellcheck="false"
        autocomplete="off"
      >
${text}</textarea>
    </label>
    ${
      isBytes
        ? html`<label class="value"
            ><span>or a file <i>optional</i></span
            ><input type="file" name="file"
          /></label>`
        : ""
    }`;
};

const choices = ({ sandbox }: TryData): Html =>
  html`<div class="who">
    <label class="value"
      ><span>Call as</span
      ><select name="caller">
        <option value="">${sandbox === null ? "a token of mine" : "choose a partner …"}</option>
        ${
          sandbox === null
            ? ""
            : html`${sandbox.callers.map(
                  ({ name }) => html`<option value="sandbox:${name}">${name}</option>`,
                )}
                <option value="pasted">a token of mine</option>`
        }
      </select></label
    >
    <div class="paste" hidden>
      <label class="value"
        ><span>Token</span><input name="token" autocomplete="off" spellcheck="false"
      /></label>
      <label class="value"
        ><span>AuthKey</span><input name="authKey" autocomplete="off" spellcheck="false"
      /></label>
      <label class="value"
        ><span>Partner</span><input name="partner" autocomplete="off" spellcheck="false"
      /></label>
    </div>
  </div>`;

export const tryPanel = (operation: ReferenceOperation, data: TryData): Html =>
  html`<section class="try" aria-label="Try it" data-try="${JSON.stringify(data)}">
    <form autocomplete="off">
      <fieldset disabled>
        ${operation.isOpen ? "" : choices(data)} ${fields(operation, data)}
        ${bodyField(operation, data)}
        ${data.plan.hint === null ? "" : html`<p class="soft">${data.plan.hint}</p>`}
        <div class="send">
          <button type="submit">Send</button>
          <button type="button" class="anew" hidden>New values</button>
          <span class="note" role="status"></span>
        </div>
      </fieldset>
    </form>
    <div class="outcome" aria-live="polite"></div>
    <div class="samples" hidden>
      <div class="tabs" role="tablist">
        <button type="button" role="tab" data-sample="curl" aria-selected="true">curl</button>
        <button type="button" role="tab" data-sample="node" aria-selected="false">Node</button>
      </div>
      <figure class="block">
        <pre data-copy><code></code></pre>
      </figure>
    </div>
    <noscript><p>Trying it needs scripts; the text does not.</p></noscript>
  </section>`;
