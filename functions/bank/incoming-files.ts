/** Reads what the bank has put into the folder: each file once, to its end before anything of it counts. */
import { createHash, randomUUID } from "node:crypto";
import type { BankFolder } from "../../shared/bank/files/folder.js";
import {
  inspectBankFile,
  readBankFile,
  type BankFileItem,
} from "../../shared/bank/iso20022/read-bank-file.js";
import { noteRead, wasRead } from "../../shared/database/bank/read-files.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
import type { Services } from "../kit/services.js";
import { requestIdOf } from "./plan-order.js";
import { sayItems, type Saying } from "./said-items.js";
import { keepStatements } from "./kept-statements.js";

type Means = Pick<Services, "database" | "bus" | "logger">;

/** What one round reads at most: the next one comes soon. */
const filesMax = 20;

/** File systems take 255 bytes; the mark before a name and the ending of its explanation need some. */
const nameBytesMax = 200;

/** How a file is called where it is put away: two of one name are two files. */
const awayName = (mark: string, name: string): string => {
  const end = Buffer.from(name).subarray(-nameBytesMax).toString();
  return `${mark.slice(0, 12)}-${end.replaceAll("\ufffd", "")}`;
};

const hashed = (bytes: AsyncIterable<Uint8Array>) => {
  const hash = createHash("sha256");
  return {
    bytes: (async function* () {
      for await (const chunk of bytes) {
        hash.update(chunk);
        yield chunk;
      }
    })(),
    digest: () => hash.digest(),
  };
};

const say = async (
  means: Means,
  saying: Saying,
  lots: AsyncIterable<BankFileItem[]>,
): Promise<void> => {
  for await (const lot of lots) await sayItems(means, saying, lot);
};

const readOne = async (means: Means, folder: BankFolder, name: string): Promise<void> => {
  const { database, logger } = means;
  const source = hashed(folder.read(name));
  const inspected = await inspectBankFile(source.bytes);
  const contentHash = source.digest();
  const away = awayName(contentHash.toString("hex"), name);
  if (!inspected.isSound) {
    logger.error("A file of the bank's cannot be read.", { name, why: inspected.sentence });
    await folder.explain(away, inspected.sentence);
    await folder.putAway(name, "failed", away);
    return;
  }
  const { items, message } = inspected;
  if (await wasRead(database, contentHash))
    logger.info("A file of the bank's was read before, under this or another name.", { name });
  else {
    if (message === "statement")
      await keepStatements(database, readBankFile(folder.read(name)), requestIdOf);
    else {
      const mark = contentHash.toString("hex").slice(0, 32);
      await say(means, { mark, count: 0 }, readBankFile(folder.read(name)));
    }
    await noteRead(database, { contentHash, name: name.slice(0, 255), message, items });
    logger.info("A file of the bank's was read.", { name, message, items });
  }
  await folder.putAway(name, "done", away);
};

/** The number of files read. What the bank could not be told of stays there, for the next round. */
export const readIncomingFiles = async (means: Means, folder: BankFolder): Promise<number> => {
  const names = await folder.incoming(filesMax);
  for (const name of names)
    try {
      await readOne(means, folder, name);
    } catch (error) {
      if (error instanceof DependencyUnavailableError) throw error;
      // Whatever is wrong with this one must not keep the others waiting.
      means.logger.error("A file of the bank's could not be taken.", { name, error });
      const away = awayName(randomUUID().slice(-12), name);
      await folder.explain(away, "The platform could not take this file: its log says why.");
      await folder.putAway(name, "failed", away);
    }
  return names.length;
};
