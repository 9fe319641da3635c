/** Holds an answer to the OpenAPI document that the platform itself serves. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";
import type { Route } from "../../../shared/contracts/route.js";
import { send, type Answer } from "./api.js";
import { refusalFaults } from "./refusal-text.js";
import type { TestStack } from "./stack.js";

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        responses: z.record(
          z.string(),
          z.looseObject({
            content: z.record(z.string(), z.looseObject({ schema: z.unknown().optional() })),
          }),
        ),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

/** Empty where the answer's status, headers, content type and body are as they must be, and a refusal reads well. */
export type Misfits = (route: Route, answer: Answer) => string[];

/** What every answer about somebody has, success or refusal. */
const safeHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const headerFaults = (headers: Headers): string[] =>
  Object.entries(safeHeaders).flatMap(([name, value]) =>
    headers.get(name) === value ? [] : [`${name} is not ${value}`],
  );

/** `readsTexts` is false where refusals repeat what a caller sent who writes no sentences. */
export const readOpenApi = async (
  stack: TestStack,
  api: "wallet" | "card" | "ticketing",
  readsTexts = true,
): Promise<Misfits> => {
  const served = await send(stack, `/openapi/${api}.json`);
  const { paths, components } = Document.parse(served.body);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "document", components });
  /** References count from the document's root, so each schema is read as a part of it. */
  const rooted = (schema: unknown): unknown =>
    JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"document#/components'),
    ) as unknown;
  const checks = new Map<unknown, ValidateFunction>();
  const checkOf = (schema: unknown): ValidateFunction => {
    const known = checks.get(schema);
    if (known !== undefined) return known;
    const check = ajv.compile(z.record(z.string(), z.unknown()).parse(rooted(schema)));
    checks.set(schema, check);
    return check;
  };
  const bodyMisfits = (schema: unknown, body: unknown): string[] => {
    const check = checkOf(schema);
    if (check(body)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath} ${message ?? ""}`,
    );
  };
  return (route, { status, headers, body }) => {
    const operation = paths[`/${route.path}`]?.[route.method.toLowerCase()];
    const response = operation?.responses[String(status)];
    if (response === undefined) return [`${route.id}: status ${status} is not documented`];
    const [type = ""] = (headers.get("content-type") ?? "").split(";");
    const content = response.content[type];
    if (content === undefined) return [`${route.id}: ${type} is not documented for ${status}`];
    const texts = readsTexts ? refusalFaults(status, body) : [];
    const faults = [...headerFaults(headers), ...texts];
    return content.schema === undefined
      ? faults
      : [...faults, ...bodyMisfits(content.schema, body)];
  };
};
