/** The form of a call: its fields as a request, and the reader's own values in them. */
import type { Call } from "../../reference/call-plan.js";
import { all, maybe } from "../kit/elements.js";
import { freshKey } from "./fresh.js";
import { keyIn, type OwnData, type Values } from "./own-data.js";
import { addressOf, keyHeader, type Request } from "./requests.js";

type Place = "path" | "query" | "header";

const isJsonObject = (text: string): boolean => {
  try {
    return typeof (JSON.parse(text) as unknown) === "object" && text.startsWith("{");
  } catch {
    return false;
  }
};

/** A form's fields are written as JSON, too, and sent as a form. */
const written = (text: string, type: string): string | undefined => {
  if (text === "") return undefined;
  return type.includes("form") && isJsonObject(text)
    ? new URLSearchParams(JSON.parse(text) as Record<string, string>).toString()
    : text;
};

export class CallForm {
  readonly #form: HTMLFormElement;
  readonly #call: Call;
  readonly #body: HTMLTextAreaElement | undefined;
  readonly #file: HTMLInputElement | undefined;
  readonly #keyField: HTMLInputElement | undefined;
  /** What stands in place of the story's values, until something is created with it. */
  #drawn = new Map<string, string>();
  /** The key that the header was given, and the request that it was sent with. */
  #key = "";
  #sentWith: string | null = null;

  constructor(form: HTMLFormElement, call: Call) {
    this.#form = form;
    this.#call = call;
    this.#body = maybe(form, '[name="body"]', HTMLTextAreaElement);
    this.#file = maybe(form, '[name="file"]', HTMLInputElement);
    this.#keyField = maybe(form, `[name="${keyHeader}"]`, HTMLInputElement);
  }

  get drawn(): Values {
    return this.#drawn;
  }

  #fields(place: Place): readonly HTMLInputElement[] {
    return all(this.#form, `[data-in="${place}"]`, HTMLInputElement);
  }

  #valuesIn(place: Place): Record<string, string> {
    return Object.fromEntries(
      this.#fields(place)
        .filter(({ value }) => value !== "")
        .map(({ name, value }) => [name, value]),
    );
  }

  /** As the form says it. */
  request(): Request {
    const type = this.#body?.dataset["type"] ?? "application/json";
    const file = this.#file?.files?.[0];
    const body = file ?? written(this.#body?.value.trim() ?? "", type);
    return {
      method: this.#call.method,
      url: addressOf(this.#call.path, this.#valuesIn("path"), this.#valuesIn("query")),
      headers: {
        ...(body === undefined ? {} : { "Content-Type": file?.type ?? type }),
        ...this.#valuesIn("header"),
      },
      body,
    };
  }

  /** The story's call with the reader's values, and with new ones where it creates something. */
  fill(own: OwnData, drawn: Map<string, string>): void {
    const { path = {}, query = {}, body } = own.own(this.#call.example, drawn);
    this.#drawn = drawn;
    this.#key = freshKey();
    this.#sentWith = null;
    for (const [place, values] of [
      ["path", path],
      ["query", query],
    ] as const)
      for (const field of this.#fields(place)) field.value = values[field.name] ?? field.value;
    if (this.#body !== undefined && body !== undefined)
      this.#body.value = typeof body === "string" ? body : JSON.stringify(body, null, 2);
    if (this.#keyField !== undefined) this.#keyField.value = this.#key;
  }

  /** What was sent once under a key is sent under another when it is another request, or was refused. */
  renewKeys(wasRefused: boolean): void {
    const isSame = this.#sentWith === null || this.#sentWith === this.#text();
    if (!isSame || wasRefused) {
      this.#renewHeader();
      this.#renewBody();
    }
    this.#sentWith = this.#text();
  }

  #text(): string {
    const { url, body } = this.request();
    return JSON.stringify([url, body]);
  }

  #renewHeader(): void {
    if (this.#keyField?.value !== this.#key) return;
    this.#key = freshKey();
    this.#keyField.value = this.#key;
  }

  #renewBody(): void {
    const key = keyIn(this.#call.example.body, this.#drawn);
    if (key === undefined || this.#body?.value.includes(key.own) !== true) return;
    const anew = freshKey();
    this.#body.value = this.#body.value.replace(key.own, anew);
    this.#drawn.set(key.storys, anew);
  }

  /** Puts what was made anew in the place of what is shown, or of the story's. */
  follow(own: OwnData, shown: Map<string, string>): void {
    const fields = [
      ...all(this.#form, "[data-in]", HTMLInputElement),
      ...(this.#body === undefined ? [] : [this.#body]),
    ];
    for (const [storys, mine] of own.snapshot()) {
      const old = shown.get(storys) ?? storys;
      if (old === mine) continue;
      for (const field of fields)
        if (field.value === old || old.length >= namedLength)
          field.value = field.value.replaceAll(old, mine);
      shown.set(storys, mine);
    }
  }
}

/** Shorter values stand in other texts by chance. */
const namedLength = 9;
