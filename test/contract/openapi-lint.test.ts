/** The OpenAPI documents before two linters that know nothing of each other, and before a reader. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { endpointsOf } from "../../functions/endpoints.js";
import type { Json } from "../../shared/http/json-schemas.js";
import { openApiDocument } from "../../shared/http/openapi.js";
import type { DocumentedApi } from "../../shared/http/openapi/security.js";

const routes = endpointsOf("development").map(({ route }) => route);
const settings = { version: "1.2.3", tokenPath: "/token", scope: "api://borsello/.default" };

const documents = new Map<DocumentedApi, Json>();

const documentOf = (api: DocumentedApi): Json => {
  const document = documents.get(api) ?? openApiDocument(api, routes, settings);
  documents.set(api, document);
  return document;
};

/** Every rule of Spectral's but these. */
const spectralRules = {
  // Nobody is named whom a reader could write to: issues are for that.
  "info-contact": "off",
  // OpenAPI 3.1 takes an address or an SPDX name, and MIT is one.
  "license-url": "off",
  // The headings stand in the order in which a reader needs them.
  "openapi-tags-alphabetical": "off",
  // The other linter looks at each example, in a tenth of the time.
  "oas3-valid-media-example": "off",
  // The unit test of the documents holds them to OpenAPI's own schema.
  "oas3-schema": "off",
} as const;

const redoclyRules = {
  // The interfaces have them, and a literal wins over a parameter: /tickets/list/{status}.
  "no-ambiguous-paths": "off",
} as const;

describe.each(["wallet", "card", "ticketing", "sandbox"] as const)("the %s document", (api) => {
  test("has nothing that Spectral would warn of", { timeout: 180_000 }, async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[{ ...oas, extends: [] }, "all"]], rules: spectralRules });
    const found = await spectral.run(structuredClone(documentOf(api)));
    expect(found.map(({ code, path, message }) => [code, path.join("/"), message])).toEqual([]);
  });

  test("has nothing that Redocly would warn of", { timeout: 180_000 }, async () => {
    const config = await createConfig({ extends: ["recommended-strict"], rules: redoclyRules });
    const source = JSON.stringify(documentOf(api));
    const found = await lintFromString({ source, absoluteRef: `/${api}.json`, config });
    expect(
      found.map(({ ruleId, location, message }) => [ruleId, location[0]?.pointer, message]),
    ).toEqual([]);
  });

  test("says of every parameter, every field and every success what it is", () => {
    expect(unsaid(documentOf(api))).toEqual([]);
  });
});

/** What no call of the story holds, and why. */
const unshown = [
  // All of the story's books are right.
  ...["components/BucketMismatch/balance", "components/BucketMismatch/replayedBalance"],
  // And no limit is violated.
  "components/LimitEntry/violationMessage",
  // Events are sent anew by their numbers.
  ...["replayEvents/from", "replayEvents/to"],
  // A JSON file is taken as its bytes.
  "postAttachment",
];

test.each(["wallet", "card", "ticketing", "sandbox"] as const)(
  "the %s document shows an example of every field, every body and every answer",
  (api) => {
    const { paths, components } = Document.parse(documentOf(api));
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const missing = operations.flatMap(({ operationId, parameters, requestBody, responses }) => {
      const contents = [requestBody, ...Object.values(responses)].map(
        (place) => place?.content["application/json"],
      );
      return [
        ...contents
          .filter(
            (content) =>
              content !== undefined && !("example" in content) && !("examples" in content),
          )
          .map(() => operationId),
        ...parameters
          .filter((parameter) => parameter["required"] === true && !("example" in parameter))
          .map(({ name }) => `${operationId} ${name}`),
        ...contents.flatMap((content) => fieldsWithout("examples", content?.schema, operationId)),
      ];
    });
    const fields = fieldsWithout("examples", components.schemas, "components");
    expect([...missing, ...fields].filter((field) => !unshown.includes(field))).toEqual([]);
  },
);

const Described = z.looseObject({ description: z.string().optional() });
const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }));
const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        tags: z.array(z.string()),
        parameters: z.array(Described.extend({ name: z.string() })),
        requestBody: z.looseObject({ content: Content }).optional(),
        responses: z.record(z.string(), Described.extend({ content: Content })),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

const Schema = z.record(z.string(), z.unknown());

/** The fields below a schema that lack this keyword and are not another schema's. */
const fieldsWithout = (
  wanted: "description" | "examples",
  written: unknown,
  at: string,
): string[] => {
  if (Array.isArray(written)) return written.flatMap((one) => fieldsWithout(wanted, one, at));
  const parsed = Schema.safeParse(written);
  if (!parsed.success) return [];
  return Object.entries(parsed.data).flatMap(([keyword, value]) => {
    if (keyword === "examples" || keyword === "enum" || keyword === "default") return [];
    const properties = keyword === "properties" ? Schema.safeParse(value) : undefined;
    if (properties?.success !== true)
      return fieldsWithout(wanted, value, at === "components" ? `${at}/${keyword}` : at);
    return Object.entries(properties.data).flatMap(([name, field]) => {
      const own = Schema.parse(field);
      const says = wanted in own || "$ref" in own || isReferenceOrNull(own);
      const below = fieldsWithout(wanted, field, `${at}/${name}`);
      // An error's codes are narrowed beside the model that says what they are.
      return says || "enum" in own ? below : [`${at}/${name}`, ...below];
    });
  });
};

const isReferenceOrNull = ({ anyOf }: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify(anyOf ?? "").includes('"$ref"');

const unsaid = (written: Json): string[] => {
  const { paths, components } = Document.parse(written);
  const ofOperations = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, tags, parameters, requestBody, responses }) => [
      ...(tags.includes("Other") ? [`${operationId} stands under no heading`] : []),
      ...parameters
        .filter(({ description }) => description === undefined)
        .map(({ name }) => `${operationId} ${name}`),
      ...Object.values(responses)
        .filter(({ description }) => description === undefined || description === "Done.")
        .map(() => `${operationId} success`),
      ...[...Object.values(responses), ...(requestBody === undefined ? [] : [requestBody])]
        .flatMap(({ content }) => Object.values(content))
        .flatMap(({ schema }) => fieldsWithout("description", schema, operationId)),
    ]);
  return [...ofOperations, ...fieldsWithout("description", components.schemas, "components")];
};
