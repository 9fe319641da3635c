/** What is answered to a body that is not JSON: the service's texts, from its parser's point of view. */
import { refusal, unforeseen, type HttpAnswer } from "./answer.js";
import { jsonFault } from "./json-fault.js";

const readerException = "Newtonsoft.Json.JsonReaderException";

const invalidContent = (message: string): HttpAnswer =>
  refusal(400, "Invalid JSON content", { message, type: readerException });

const wrongCharacter = (character: string, place: string): HttpAnswer =>
  invalidContent(`Unexpected character encountered while parsing value: ${character}. ${place}.`);

/** To an event that is raised. */
export const invalidEvent = (body: string): HttpAnswer => {
  const { isTruncated, container, place, character } = jsonFault(body);
  if (!isTruncated) return wrongCharacter(character, place);
  if (container === "none")
    return invalidContent(`Error reading JToken from JsonReader. ${place}.`);
  const what = container === "object" ? "JObject" : "JArray";
  return invalidContent(`Unexpected end of content while loading ${what}. ${place}.`);
};

/** To a start; the service does not foresee an input that ends too early. */
export const invalidInput = (body: string): HttpAnswer => {
  const { isTruncated, container, place, character } = jsonFault(body);
  if (!isTruncated) return wrongCharacter(character, place);
  return refusal(500, unforeseen, {
    message: `Unexpected end when deserializing ${container === "array" ? "array" : "object"}. ${place}.`,
    type: "Newtonsoft.Json.JsonSerializationException",
  });
};
