/** Rules of subscriptions as administrators write and read them. */
import { BrokerError, conditions } from "../errors.js";
import type { RuleDefinition, RuleFilter } from "../filters/rule.js";
import { element, textElement } from "./atom.js";
import { child, childText, type Element } from "./xml-reader.js";

type CorrelationFilter = Extract<RuleFilter, { kind: "correlation" }>;
type Property = CorrelationFilter["properties"][string];

const wrong = (why: string): BrokerError =>
  new BrokerError(conditions.invalidField, `SubCode=40000. ${why}`);

/** The element's name of each condition, in the order in which the service writes them. */
const conditionNames = {
  CorrelationId: "correlationId",
  MessageId: "messageId",
  To: "to",
  ReplyTo: "replyTo",
  Label: "subject",
  SessionId: "sessionId",
  ReplyToSessionId: "replyToSessionId",
  ContentType: "contentType",
} as const;

const propertyOf = ({ type = "", text }: Element): Property => {
  if (type === "string") return text;
  if (type === "boolean") return text === "true";
  const isNumber = ["int", "long", "double"].includes(type);
  if (isNumber && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (type === "dateTime" && !Number.isNaN(Date.parse(text))) return { timeMs: Date.parse(text) };
  throw wrong(`A property of a filter is a text, number, boolean or time, not '${type}'.`);
};

const propertiesOf = (properties: Element | undefined): CorrelationFilter["properties"] =>
  Object.fromEntries(
    (properties?.children ?? []).map((pair) => {
      const [key, value] = [childText(pair, "Key"), child(pair, "Value")];
      if (key === undefined || value === undefined)
        throw wrong("A property of a filter has a key and a value.");
      return [key, propertyOf(value)];
    }),
  );

const checkNoParameters = (part: Element | undefined): void => {
  if ((child(part, "Parameters")?.children.length ?? 0) > 0)
    throw wrong("Parameters of SQL expressions are not served; write their values out.");
};

const filterOf = (filter: Element | undefined): RuleFilter => {
  if (filter?.type === "CorrelationFilter") {
    const given = Object.entries(conditionNames).map(([name, key]) => [
      key,
      childText(filter, name),
    ]);
    return {
      kind: "correlation",
      ...(Object.fromEntries(given) as Omit<CorrelationFilter, "kind" | "properties">),
      properties: propertiesOf(child(filter, "Properties")),
    };
  }
  checkNoParameters(filter);
  if (filter?.type === "FalseFilter") return { kind: "sql", expression: "1=0" };
  return { kind: "sql", expression: childText(filter, "SqlExpression") ?? "1=1" };
};

/** What a client wants a rule to be; the address has its name, but for that of a new subscription. */
export const readRule = (description: Element, name: string): RuleDefinition => {
  const action = child(description, "Action");
  checkNoParameters(action);
  return {
    name,
    filter: filterOf(child(description, "Filter")),
    action: childText(action, "SqlExpression") ?? null,
  };
};

const schemaNamespace = "http://www.w3.org/2001/XMLSchema";

const writeProperty = ([key, value]: readonly [string, Property]): string => {
  const [type, text] =
    typeof value === "object"
      ? ["dateTime", new Date(value.timeMs).toISOString()]
      : [typeof value === "number" ? "double" : typeof value, String(value)];
  return element(
    "KeyValueOfstringanyType",
    textElement("Key", key) +
      textElement("Value", text, `i:type="d6p1:${type}" xmlns:d6p1="${schemaNamespace}"`),
  );
};

const writeFilter = (filter: RuleFilter): string => {
  if (filter.kind === "sql")
    return element(
      "Filter",
      textElement("SqlExpression", filter.expression) + textElement("CompatibilityLevel", "20"),
      'i:type="SqlFilter"',
    );
  const conditionElements = Object.entries(conditionNames).map(([name, key]) => {
    const text = filter[key];
    return text === undefined ? "" : textElement(name, text);
  });
  const properties = Object.entries(filter.properties).map(writeProperty).join("");
  return element(
    "Filter",
    conditionElements.join("") + (properties === "" ? "" : element("Properties", properties)),
    'i:type="CorrelationFilter"',
  );
};

export const writeRule = ({ name, filter, action }: RuleDefinition): string =>
  writeFilter(filter) +
  (action === null
    ? '<Action i:type="EmptyRuleAction"/>'
    : element("Action", textElement("SqlExpression", action), 'i:type="SqlRuleAction"')) +
  textElement("Name", name);
