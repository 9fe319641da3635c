/** A bank that works by files: reads what the platform has put out for it, and answers as a test wants. */
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { XMLParser } from "fast-xml-parser";
import { z } from "zod";

const arrays = new Set(["CdtTrfTxInf", "DrctDbtTxInf"]);
const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => arrays.has(name),
});

const Account = z.object({ Id: z.object({ IBAN: z.string() }) });
const Named = z.object({ Nm: z.string() });
const Ended = z.object({ EndToEndId: z.string() });
const File = z.object({
  Document: z.union([
    z
      .object({
        CstmrCdtTrfInitn: z.object({
          GrpHdr: z.object({ MsgId: z.string() }),
          PmtInf: z.object({
            DbtrAcct: Account,
            CdtTrfTxInf: z.array(
              z.object({
                PmtId: Ended,
                Amt: z.object({ InstdAmt: z.string() }),
                Cdtr: Named,
                CdtrAcct: Account,
              }),
            ),
          }),
        }),
      })
      .transform(({ CstmrCdtTrfInitn: { GrpHdr, PmtInf } }) => ({
        messageId: GrpHdr.MsgId,
        message: "pain.001",
        account: PmtInf.DbtrAcct.Id.IBAN,
        orders: PmtInf.CdtTrfTxInf.map((order) => ({
          endToEndId: order.PmtId.EndToEndId,
          amount: order.Amt.InstdAmt,
          name: order.Cdtr.Nm,
          iban: order.CdtrAcct.Id.IBAN,
          mandateId: "",
        })),
      })),
    z
      .object({
        CstmrDrctDbtInitn: z.object({
          GrpHdr: z.object({ MsgId: z.string() }),
          PmtInf: z.object({
            CdtrAcct: Account,
            DrctDbtTxInf: z.array(
              z.object({
                PmtId: Ended,
                InstdAmt: z.string(),
                DrctDbtTx: z.object({ MndtRltdInf: z.object({ MndtId: z.string() }) }),
                Dbtr: Named,
                DbtrAcct: Account,
              }),
            ),
          }),
        }),
      })
      .transform(({ CstmrDrctDbtInitn: { GrpHdr, PmtInf } }) => ({
        messageId: GrpHdr.MsgId,
        message: "pain.008",
        account: PmtInf.CdtrAcct.Id.IBAN,
        orders: PmtInf.DrctDbtTxInf.map((order) => ({
          endToEndId: order.PmtId.EndToEndId,
          amount: order.InstdAmt,
          name: order.Dbtr.Nm,
          iban: order.DbtrAcct.Id.IBAN,
          mandateId: order.DrctDbtTx.MndtRltdInf.MndtId,
        })),
      })),
  ]),
});
export type OrderFileSeen = z.output<typeof File>["Document"];

export const openFakeBank = async () => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-bank-"));
  const seen = new Map<string, OrderFileSeen>();
  const list = (name: string): Promise<string[]> =>
    readdir(join(folder, name)).catch((): string[] => []);
  /** The files that the platform has handed over so far; what the bank has looked at, it takes away. */
  const collect = async (): Promise<OrderFileSeen[]> => {
    for (const name of await list("out")) {
      if (name.startsWith(".")) continue;
      if (seen.has(name)) throw new Error(`the file ${name} was handed over twice`);
      const path = join(folder, "out", name);
      seen.set(name, File.parse(parser.parse(await readFile(path, "utf8"))).Document);
      await rm(path);
    }
    return [...seen.values()];
  };
  return {
    folder,
    collect,
    /** The order for this customer's account, with the file it came in; undefined: not (yet) handed over. */
    orderFor: async (iban: string) => {
      for (const file of await collect())
        for (const order of file.orders) if (order.iban === iban) return { ...order, file };
      return undefined;
    },
    put: async (name: string, content: string): Promise<void> => {
      const unfinished = join(folder, "in", `.${name}`);
      await writeFile(unfinished, content);
      await rename(unfinished, join(folder, "in", name));
    },
    list,
    read: (where: string, name: string) => readFile(join(folder, where, name), "utf8"),
    end: () => rm(folder, { recursive: true, force: true }),
  };
};
export type FakeBank = Awaited<ReturnType<typeof openFakeBank>>;
