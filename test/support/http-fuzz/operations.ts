/** What the platform's own OpenAPI documents let callers ask for, and of what form. */
import { z } from "zod";
import { endpointsOf } from "../../../functions/endpoints.js";
import type { Route } from "../../../shared/contracts/route.js";
import {
  scriptBankRoute,
  sendBankNotificationRoute,
} from "../../../shared/contracts/sandbox/bank.js";
import { send } from "../platform/api.js";
import type { Json } from "../platform/request-fields.js";
import type { TestStack } from "../platform/stack.js";

const Schema: z.ZodType<Json> = z.record(z.string(), z.unknown());

const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(["path", "query", "header"]),
        required: z.boolean(),
        schema: Schema,
      }),
    )
    .default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: Schema.optional() })) })
    .optional(),
});

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

export interface FuzzOperation {
  readonly route: Route;
  readonly parameters: z.output<typeof Operation>["parameters"];
  /** Media types of its body, with the schema of each that is JSON. */
  readonly bodies: readonly (readonly [type: string, schema: Json | undefined])[];
  /** Follows a reference of its document. */
  readonly resolve: (schema: Json) => Json;
}

const routes = new Map(endpointsOf("development").map(({ route }) => [route.id, route]));

/** Those by which the sandbox's bank has money arrive: it has no document of its own. */
const sandboxOperations = [sendBankNotificationRoute, scriptBankRoute].map(
  (route): FuzzOperation => ({
    route,
    parameters: [],
    bodies: [
      [
        "application/json",
        z.toJSONSchema(route.body ?? z.undefined(), { io: "input", unrepresentable: "any" }),
      ],
    ],
    resolve: (schema) => schema,
  }),
);

const ofApi = async (stack: TestStack, api: "wallet" | "ticketing"): Promise<FuzzOperation[]> => {
  const { paths, components } = Document.parse((await send(stack, `/openapi/${api}.json`)).body);
  const resolve = (schema: Json): Json => {
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(schema["$ref"])) ?? [];
    const found = name === undefined ? undefined : components.schemas[name];
    return found === undefined ? schema : resolve(found);
  };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, parameters, requestBody }) => {
      const route = routes.get(operationId);
      const content = Object.entries(requestBody?.content ?? {});
      const bodies = content.map(([type, { schema }]) => [type, schema] as const);
      return route === undefined ? [] : [{ route, parameters, bodies, resolve }];
    });
};

export const fuzzOperations = async (stack: TestStack): Promise<readonly FuzzOperation[]> => [
  ...(await ofApi(stack, "wallet")),
  ...(await ofApi(stack, "ticketing")),
  ...sandboxOperations,
];
