/** What contractSigning does: each stage keeps its PDF under a key of this signature, once. */
import {
  contractDocumentKey,
  findContract,
  storeSignedContract,
} from "../shared/database/onboarding/contracts.js";
import type { Database } from "../shared/database/platform/database.js";
import { readWallet } from "../shared/database/wallet/wallets.js";
import { fillContract } from "../shared/documents/contract-pdf.js";
import { pdfContentType, type Documents } from "../shared/documents/documents.js";
import { activity, type Activity } from "../shared/durable/register.js";
import type { Changes } from "../shared/platform/changes.js";
import { concludeContract, fillContractPdf, sealContractPdf } from "./contract-signing.flow.js";

export interface SigningMeans {
  readonly database: Database;
  readonly documents: Documents;
  readonly seal: (pdf: Uint8Array) => Promise<Uint8Array>;
  readonly changes: Pick<Changes, "tell">;
}

interface Signature {
  readonly walletId: string;
  readonly attempt: number;
}

const filledKey = ({ walletId, attempt }: Signature): string =>
  `${contractDocumentKey(walletId, attempt)}/filled`;

const done = { result: "done" } as const;
const over = { result: "over" } as const;

const fill = async ({ database, documents }: SigningMeans, signature: Signature) => {
  const wallet = await readWallet(database, signature.walletId);
  if (wallet === undefined) return over;
  const bytes = await fillContract(wallet);
  await documents.putOnce(filledKey(signature), { contentType: pdfContentType, bytes });
  return done;
};

const seal = async (means: SigningMeans, signature: Signature) => {
  const { documents } = means;
  const filled = await documents.get(filledKey(signature));
  if (filled === undefined) throw new Error("The filled contract is not stored.");
  const bytes = await means.seal(filled.bytes);
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

/** Runs the stage while this signature is still wanted. */
const whileSigning =
  (
    means: SigningMeans,
    stage: (means: SigningMeans, signature: Signature) => Promise<typeof done | typeof over>,
  ) =>
  async (signature: Signature): Promise<typeof done | typeof over> => {
    const contract = await findContract(means.database, signature.walletId);
    const isOver = contract?.status === "Declined" || contract?.attempt !== signature.attempt;
    return isOver ? over : stage(means, signature);
  };

export const contractSigningActivities = (means: SigningMeans): readonly Activity[] => [
  activity(fillContractPdf, whileSigning(means, fill)),
  activity(sealContractPdf, whileSigning(means, seal)),
  activity(concludeContract, whileSigning(means, conclude)),
];
