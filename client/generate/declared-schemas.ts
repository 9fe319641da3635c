/** Declarations of JSON Schemas: openapi-typescript's types, one by one and by name, as an editor shows them best. */
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { docComment } from "./text.js";

/** Leaves out what says again what the type says. */
const readable = (text: string): string =>
  text
    .replace(/^\s*\/\*\* @(?:enum \{[^}]*\}|constant) \*\/\n/gm, "")
    .replace(/^\s*\* @(?:enum \{[^}]*\}|constant)\n/gm, "")
    .replaceAll("@description ", "")
    .replace(/components\["schemas"\]\["(\w+)"\]/g, "$1")
    .trim();

const nameOf = ({ name }: ts.PropertySignature): string =>
  ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : "";

const membersOf = (node: ts.Node, name: string): readonly ts.PropertySignature[] => {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== name) return [];
  return node.members.filter((member) => ts.isPropertySignature(member));
};

const typesIn = (node: ts.Node): readonly ts.PropertySignature[] => {
  const type = membersOf(node, "components").find((member) => nameOf(member) === "schemas")?.type;
  return type !== undefined && ts.isTypeLiteralNode(type)
    ? type.members.filter((member) => ts.isPropertySignature(member))
    : [];
};

const declaration = (member: ts.PropertySignature): string => {
  const { type } = member;
  if (type === undefined) throw new Error(`${nameOf(member)} has no type`);
  const text = readable(astToString(type));
  return ts.isTypeLiteralNode(type)
    ? `export interface ${nameOf(member)} ${text}\n`
    : `export type ${nameOf(member)} = ${text};\n`;
};

const descriptionOf = (schema: unknown): string => {
  const { description } = (schema ?? {}) as { readonly description?: unknown };
  return typeof description === "string" ? docComment(description) : "";
};

/** `schemas` refer to each other as components of a document do. */
export const declaredSchemas = async (
  schemas: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const document = {
    openapi: "3.1.0",
    info: { title: "", version: "" },
    paths: {},
    components: { schemas },
  };
  const nodes = await openapiTS(JSON.stringify(document), {
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    silent: true,
  });
  return nodes
    .flatMap(typesIn)
    .map((member) => descriptionOf(schemas[nameOf(member)]) + declaration(member))
    .join("\n");
};
