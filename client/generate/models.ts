/** The models: what routes take and answer, each under one name over all APIs. */
import { z } from "zod";
import { isBinaryBody, isNameFamily, type Route } from "../../shared/contracts/route.js";
import { jsonSchemas } from "../../shared/http/json-schemas.js";
import { fieldsOf } from "./lines.js";
import { pascal } from "./text.js";

const madeKey =
  "Exactly 32 characters; the same key with the same input gets the first answer again. Made by the client " +
  "where absent, which covers its own repeats: give one that your system keeps, and a repeat after its crash " +
  "is the same operation.";

const bodyFields = ({ body }: Route): z.ZodRawShape => {
  if (body === undefined || isBinaryBody(body)) return {};
  const { idempotencyKey, ...fields } = fieldsOf(body) ?? { body };
  return idempotencyKey instanceof z.ZodType
    ? { ...fields, idempotencyKey: idempotencyKey.optional().describe(madeKey) }
    : fields;
};

/** Path, query and body side by side: none of their fields has the name of another. */
const inputOf = (route: Route): z.ZodObject => {
  const query = Object.fromEntries(
    Object.entries(route.query ?? {}).map(([name, schema]) => [
      isNameFamily(name) ? name.slice(0, -1) : name,
      schema,
    ]),
  );
  const places: readonly z.ZodRawShape[] = [route.params ?? {}, query, bodyFields(route)];
  const names = places.flatMap((place) => Object.keys(place));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`${route.id} has two fields ${twice.join(", ")}`);
  return z.object(Object.assign({}, ...places) as z.ZodRawShape);
};

export interface TakenType {
  readonly type: string;
  readonly isOptional: boolean;
}

export interface Models {
  /** The type of what the route takes. */
  input(route: Route): TakenType;
  /** The type of what it answers. */
  output(route: Route): string;
  /** All schemas by the names of their types. */
  schemas(): Readonly<Record<string, unknown>>;
}

const Reference = z.object({ $ref: z.string() });
const bytes = "Uint8Array";

export const models = (): Models => {
  const named = new Map<string, unknown>();
  const known = jsonSchemas();

  const name = (type: string, schema: unknown): string => {
    const before = named.get(type);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema))
      throw new Error(`Two models have the name ${type}`);
    named.set(type, schema);
    return type;
  };

  return {
    input: (route) => {
      const taken = inputOf(route);
      const hasBytes = route.body !== undefined && isBinaryBody(route.body);
      if (Object.keys(taken.shape).length === 0 && !hasBytes)
        return { type: "NoInput", isOptional: true };
      const type = name(`${pascal(route.id)}Input`, known.input(taken));
      return hasBytes
        ? { type: `${type} & { readonly body: ${bytes} }`, isOptional: false }
        : { type, isOptional: taken.safeParse({}).success };
    },
    output: (route) => {
      if (!("schema" in route.ok)) return bytes;
      const schema = known.output(route.ok.schema);
      const reference = Reference.safeParse(schema);
      return reference.success
        ? reference.data.$ref.replace("#/components/schemas/", "")
        : name(`${pascal(route.id)}Answer`, schema);
    },
    schemas: () => {
      const components = known.components();
      for (const [type, schema] of Object.entries(components)) name(type, schema);
      return Object.fromEntries(named);
    },
  };
};
