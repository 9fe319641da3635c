/** Holds the properties of a refusal to those that its code declares. */
import { ErrorModel } from "../../../shared/contracts/platform/error-models.js";
import type { ErrorEntry } from "../../../shared/contracts/errors/entry.js";
import { errorTable, type ErrorCode } from "../../../shared/contracts/errors.js";

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text);

/** Those that a refusal has beyond its declaration, and those that it lacks. */
export const nameFaults = (code: ErrorCode, names: readonly string[]): string[] => {
  const { properties = {}, mayHave = [], isByField }: ErrorEntry = errorTable[code];
  if (isByField === true) return [];
  const always = Object.keys(properties);
  return [
    ...names
      .filter((name) => !always.includes(name) && !mayHave.includes(name))
      .map((name) => `${code} does not declare "${name}"`),
    ...always.filter((name) => !names.includes(name)).map((name) => `${code} lacks "${name}"`),
  ];
};

/** Of a body of the model that has properties; empty where it is another one. */
export const propertyFaults = (body: unknown): string[] => {
  const refused = ErrorModel.safeParse(body);
  if (!refused.success || !isErrorCode(refused.data.errorCode)) return [];
  const names = Object.keys(refused.data.errorProperties).filter((name) => name !== "requestId");
  return nameFaults(refused.data.errorCode, names);
};
