/** The partners' contract templates: read once, kept prepared, filled with a holder's data. */
import type { Documents } from "../documents.js";
import { fillPrepared, type PreparedForm } from "../prepared-form.js";
import { contractValues, type ContractHolder } from "./contract-pdf.js";
import { prepareTemplate } from "./template-form.js";

export interface ContractTemplates {
  /** The empty form under this document key; undefined where there is no such document. */
  read(documentKey: string): Promise<Uint8Array | undefined>;
  /** Whether there is one, ready to be filled. */
  has(documentKey: string): Promise<boolean>;
  /** The contract filled with the holder's data, flattened, not sealed; undefined as above. */
  fill(documentKey: string, holder: ContractHolder): Promise<Uint8Array | undefined>;
}

/** Each takes about a megabyte; a platform has fewer partners than that, or prepares some again. */
const preparedMax = 50;

/** Documents never change under their key, and so a template that was prepared stays as it is. */
export const contractTemplates = (
  documents: Pick<Documents, "get">,
  /** Makes what is not there yet: outside production, the sandbox partners' own. */
  make: (documentKey: string) => Promise<Uint8Array | undefined> = async () => undefined,
): ContractTemplates => {
  const prepared = new Map<string, Promise<PreparedForm | undefined>>();
  const read = async (documentKey: string): Promise<Uint8Array | undefined> =>
    (await documents.get(documentKey))?.bytes ?? make(documentKey);
  const prepare = async (documentKey: string): Promise<PreparedForm | undefined> => {
    const template = await read(documentKey);
    return template === undefined ? undefined : prepareTemplate(template);
  };
  const preparedOf = async (documentKey: string): Promise<PreparedForm | undefined> => {
    const known = prepared.get(documentKey);
    if (known !== undefined) return known;
    if (prepared.size >= preparedMax) prepared.clear();
    const preparing = prepare(documentKey);
    prepared.set(documentKey, preparing);
    // What failed or was missing is looked for again.
    const form = await preparing.catch((error: unknown) => {
      prepared.delete(documentKey);
      throw error;
    });
    if (form === undefined) prepared.delete(documentKey);
    return form;
  };
  return {
    read,
    has: async (documentKey) => (await preparedOf(documentKey)) !== undefined,
    fill: async (documentKey, holder) => {
      const form = await preparedOf(documentKey);
      return form === undefined ? undefined : fillPrepared(form, contractValues(holder));
    },
  };
};
