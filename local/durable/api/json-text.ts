/** Writes answers that hold JSON texts of the app: these go in as they are, however deep they nest. */

/** A value that is JSON text already. Parsed and written again, a deep one would exhaust the stack. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON's null where there is no text. */
export const storedJson = (text: string | null | undefined): JsonText | null =>
  typeof text === "string" ? new JsonText(text) : null;

/** As `JSON.stringify` does it, for plain data with JSON texts anywhere inside. */
export const writeJson = (value: unknown): string => {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [`${JSON.stringify(name)}:${writeJson(field)}`],
  );
  return `{${fields.join(",")}}`;
};
