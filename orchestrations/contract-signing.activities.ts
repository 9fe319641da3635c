/** What contractSigning does: fills and seals the contract's PDF, and keeps the first of each signature. */
import {
  contractDocumentKey,
  findWantedContract,
  storeSignedContract,
} from "../shared/database/onboarding/contracts.js";
import type { Database } from "../shared/database/platform/database.js";
import type { ContractTemplates } from "../shared/documents/contracts/contract-templates.js";
import { pdfContentType, type Documents } from "../shared/documents/documents.js";
import { activity, type Activity } from "../shared/durable/register.js";
import type { Changes } from "../shared/platform/changes.js";
import { concludeContract, fillContractPdf, sealContractPdf } from "./contract-signing.flow.js";

export interface SigningMeans {
  readonly database: Database;
  readonly documents: Pick<Documents, "putOnce">;
  readonly contractForms: Pick<ContractTemplates, "fill">;
  readonly seal: (pdf: Uint8Array) => Promise<Uint8Array>;
  readonly changes: Pick<Changes, "tell">;
}

interface Signature {
  readonly walletId: string;
  readonly attempt: number;
}

const done = { result: "done" } as const;
const over = { result: "over" } as const;

/** A form costs less to fill again than to store and read back, so sealing fills its own. */
const fill = async ({ database }: SigningMeans, signature: Signature) =>
  (await findWantedContract(database, signature)) === undefined ? over : done;

const seal = async (means: SigningMeans, signature: Signature) => {
  const { database, documents, contractForms } = means;
  const wanted = await findWantedContract(database, signature);
  if (wanted === undefined) return over;
  const { holder, template } = wanted;
  const filled = template === null ? undefined : await contractForms.fill(template, holder);
  // It was there when the signature was asked for: somebody took it away, and has to bring it back.
  if (filled === undefined)
    throw new Error(`The contract template of ${holder.partnerKey} is missing.`);
  const bytes = await means.seal(filled);
  const key = contractDocumentKey(signature.walletId, signature.attempt);
  await documents.putOnce(key, { contentType: pdfContentType, bytes });
  return done;
};

const conclude = async ({ database, changes }: SigningMeans, { walletId, attempt }: Signature) => {
  const key = contractDocumentKey(walletId, attempt);
  const isStored = await storeSignedContract(database, walletId, attempt, key);
  changes.tell(walletId);
  return isStored ? done : over;
};

export const contractSigningActivities = (means: SigningMeans): readonly Activity[] => [
  activity(fillContractPdf, (signature) => fill(means, signature)),
  activity(sealContractPdf, (signature) => seal(means, signature)),
  activity(concludeContract, (signature) => conclude(means, signature)),
];
