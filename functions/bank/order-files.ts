/** Writes what waits for the bank into files, each order into one, whoever is killed meanwhile. */
import type { BankFolder } from "../../shared/bank/files/folder.js";
import { creditTransferFile } from "../../shared/bank/iso20022/credit-transfers.js";
import { directDebitFile } from "../../shared/bank/iso20022/direct-debits.js";
import {
  CreditorAccount,
  KeptCreditTransfer,
  KeptDirectDebit,
  OwnAccount,
  type FileHeader,
} from "../../shared/bank/iso20022/orders.js";
import {
  beginWriting,
  claimOrderFile,
  noteWritten,
  openOrderFiles,
  ordersOf,
  release,
  type OrderFile,
} from "../../shared/database/bank/orders.js";
import type { Services } from "../kit/services.js";
import { endToEndIdOf } from "./plan-order.js";

/** What banks take in one file without asking, and what one round writes at most. */
const ordersMax = 10_000;
const filesMax = 50;

/** The bank takes a file once by this id. */
const headerOf = ({ fileId, createdAt, day }: OrderFile): FileHeader => ({
  messageId: endToEndIdOf(fileId),
  createdAt,
  day,
});

const names = {
  creditTransfers: "pain.001",
  directDebits: "pain.008",
} as const;

const nameOf = ({ message, fileId }: OrderFile): string =>
  `${names[message]}-${endToEndIdOf(fileId)}.xml`;
const writtenNameOf = (file: OrderFile): string =>
  `.${nameOf(file)}.${file.attempt.toString()}.tmp`;

const piecesOf = (file: OrderFile, contents: readonly unknown[]): Iterable<string> =>
  file.message === "creditTransfers"
    ? creditTransferFile(
        headerOf(file),
        OwnAccount.parse(file.account),
        contents.map((content) => KeptCreditTransfer.parse(content)),
      )
    : directDebitFile(
        headerOf(file),
        CreditorAccount.parse(file.account),
        contents.map((content) => KeptDirectDebit.parse(content)),
      );

type Means = Pick<Services, "database" | "faults" | "logger">;

const write = async ({ database, faults }: Means, folder: BankFolder, fileId: string) => {
  const file = await beginWriting(database, fileId);
  if (file === undefined) return;
  const orders = await ordersOf(database, fileId);
  const name = writtenNameOf(file);
  await folder.write(
    name,
    piecesOf(
      file,
      orders.map(({ content }) => content),
    ),
  );
  faults.hit("bankFiles.written");
  if (!(await noteWritten(database, file))) await folder.forget(name);
};

/**
 * Renaming is what hands a file over, and it takes the written name away: whoever comes back after a kill
 * sees by that whether it was done, even where the bank has fetched the file since.
 */
const handOver = async ({ database, faults, logger }: Means, folder: BankFolder, fileId: string) =>
  release(database, fileId, async (file) => {
    const isShown = await folder.show(writtenNameOf(file), nameOf(file));
    faults.hit("bankFiles.shown");
    if (!isShown)
      logger.warn("A file to the bank was handed over before, or is lost: the bank can tell.", {
        name: nameOf(file),
        messageId: headerOf(file).messageId,
      });
  });

/** The number of files handed over. `today`: the first day on which the bank can do what is due. */
export const writeOrderFiles = async (
  means: Means,
  folder: BankFolder,
  today: string,
): Promise<number> => {
  for (let claimed = 0; claimed < filesMax; claimed += 1)
    if ((await claimOrderFile(means.database, today, ordersMax)) === undefined) break;
  let handedOver = 0;
  for (const { fileId, status } of await openOrderFiles(means.database, filesMax)) {
    if (status === "Claimed") await write(means, folder, fileId);
    if (await handOver(means, folder, fileId)) handedOver += 1;
  }
  return handedOver;
};
