/** What the reference shows of an OpenAPI document: its operations by tag, read with everything in its place. */
import { z } from "zod";

const Media = z.object({
  schema: z.unknown().optional(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ $ref: z.string() })).optional(),
});
const Content = z.record(z.string(), Media);

const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: z.unknown(),
  example: z.unknown().optional(),
});

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  parameters: z.array(Parameter).default([]),
  requestBody: z
    .object({
      required: z.boolean().optional(),
      description: z.string().optional(),
      content: Content,
    })
    .optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: Content.default({}) }),
  ),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
});

const Document = z.object({
  info: z.object({ title: z.string(), description: z.string().optional() }),
  servers: z.array(z.object({ url: z.string() })),
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })).default([]),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()).default({}),
    examples: z.record(z.string(), z.object({ value: z.unknown() })).default({}),
    securitySchemes: z.record(
      z.string(),
      z.object({ type: z.string(), name: z.string().optional() }),
    ),
  }),
});

/** What is sent or answered in one media type. */
export interface Payload {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly example: unknown;
}

export type ReferenceParameter = z.output<typeof Parameter>;

/** An answer other than success, with the examples of its codes. */
export interface Refusal {
  readonly status: string;
  readonly description: string;
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface ReferenceOperation {
  readonly id: string;
  readonly method: string;
  /** From the host on: `/wallet/wallets/{walletId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ReferenceParameter[];
  readonly body: (Payload & { readonly note: string }) | undefined;
  readonly success: { readonly status: string; readonly description: string };
  readonly answers: readonly Payload[];
  readonly refusals: readonly Refusal[];
  /** The headers by which a caller shows who it is, besides the token. */
  readonly credentials: readonly string[];
  readonly isOpen: boolean;
}

export interface ReferenceTag {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly ReferenceOperation[];
}

export interface Reference {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly ReferenceTag[];
  readonly schemas: Readonly<Record<string, unknown>>;
}

const payloads = (content: z.output<typeof Content>): Payload[] =>
  Object.entries(content).map(([mediaType, media]) => ({
    mediaType,
    schema: media.schema,
    example: media.example,
  }));

type Examples = z.output<typeof Document>["components"]["examples"];

/** Examples of refusals stand among the document's components, under their codes. */
const refusalOf = (
  status: string,
  answer: { readonly description: string; readonly content: z.output<typeof Content> },
  known: Examples,
): Refusal => ({
  status,
  description: answer.description,
  examples: Object.fromEntries(
    Object.values(answer.content).flatMap(({ example, examples = {} }) =>
      example === undefined
        ? Object.keys(examples).map((code) => [code, known[code]?.value])
        : [[status, example]],
    ),
  ),
});

const isSuccess = (status: string): boolean => status.startsWith("2");

const byStatus = (a: Refusal, b: Refusal): number => a.status.localeCompare(b.status);

/** Throws where the document is not one of ours. */
export const readReference = (written: unknown): Reference => {
  const { info, servers, tags, paths, components } = Document.parse(written);
  const base = servers[0]?.url ?? "";
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): ReferenceOperation => {
      const responses = Object.entries(operation.responses);
      const success = responses.find(([status]) => isSuccess(status));
      const [body] = payloads(operation.requestBody?.content ?? {});
      const schemes = Object.keys(operation.security[0] ?? {});
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path: `${base}${path}`,
        tag: operation.tags[0] ?? "",
        summary: operation.summary,
        description: operation.description ?? "",
        parameters: operation.parameters,
        body: body && { ...body, note: operation.requestBody?.description ?? "" },
        success: { status: success?.[0] ?? "200", description: success?.[1].description ?? "" },
        answers: payloads(success?.[1].content ?? {}),
        refusals: responses
          .filter(([status]) => !isSuccess(status))
          .map(([status, answer]) => refusalOf(status, answer, components.examples))
          .sort(byStatus),
        credentials: schemes.flatMap((name) => components.securitySchemes[name]?.name ?? []),
        isOpen: schemes.length === 0,
      };
    }),
  );
  const names = new Set([...tags.map(({ name }) => name), ...operations.map(({ tag }) => tag)]);
  const described = new Map(tags.map(({ name, description }) => [name, description]));
  return {
    title: info.title,
    description: info.description ?? "",
    tags: [...names]
      .map((name) => ({
        name,
        description: described.get(name) ?? "",
        operations: operations.filter(({ tag }) => tag === name),
      }))
      .filter((tag) => tag.operations.length > 0),
    schemas: components.schemas,
  };
};

/** Every operation, in the order in which readers meet them. */
export const operationsOf = ({ tags }: Reference): readonly ReferenceOperation[] =>
  tags.flatMap(({ operations }) => operations);
