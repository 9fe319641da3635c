/** Files, tickets and uploads for tests of attachments. */
import { randomUUID } from "node:crypto";
import type { Database } from "../../../shared/database/platform/database.js";
import type { TicketStatus } from "../../../shared/domain/ticketing/status.js";

export const pdfFile = Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "latin1");
export const pngFile = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1");
export const jpegFile = Buffer.from("\xff\xd8\xff\xe0\0\x10JFIF\0", "latin1");
export const webpFile = Buffer.from("RIFF\x24\0\0\0WEBPVP8 ", "latin1");

interface ZipEntry {
  readonly name: Buffer;
  readonly local: Buffer;
}

const zipEntry = (name: string): ZipEntry => {
  const bytes = Buffer.from(name);
  const head = Buffer.alloc(30);
  head.write("PK\x03\x04", "latin1");
  head.writeUInt16LE(bytes.length, 26);
  return { name: bytes, local: Buffer.concat([head, bytes]) };
};

/** A ZIP of empty files with these names. */
export const zipOf = (...names: readonly string[]): Buffer => {
  const entries = names.map(zipEntry);
  const directory = entries.map(({ name }) => {
    const head = Buffer.alloc(46);
    head.write("PK\x01\x02", "latin1");
    head.writeUInt16LE(name.length, 28);
    return Buffer.concat([head, name]);
  });
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  return Buffer.concat([...entries.map(({ local }) => local), ...directory, end]);
};

export const docxFile = zipOf("[Content_Types].xml", "_rels/.rels", "word/document.xml");
export const xlsxFile = zipOf("[Content_Types].xml", "xl/workbook.xml");

/** A ticket, not created by the API: in any status at once. */
export const writeTicket = async (
  database: Database,
  status: TicketStatus = "New",
  partnerKey = "acme",
): Promise<string> => {
  const caseNumber = randomUUID().toUpperCase();
  await database.execute(
    `insert into borsello.ticket (case_number, partner_key, product, request_type, category,
       description, priority, status, created_by, sla, silence, patience, expiration_date, asked_on,
       resolves_on, closure_date, closes_on)
     values ($1, $2, 'wallet', 'Consumer', 'Altro', 'A ticket', 2, $3, $2 || '-client', '1 day',
       '4 days', '14 days', borsello.platform_now() + interval '1 day',
       case when $3 = 'WaitingForCustomer' then borsello.platform_now() end,
       case when $3 = 'WaitingForCustomer' then borsello.platform_now() + interval '14 days' end,
       case when $3 in ('Closed', 'Canceled') then borsello.platform_now() end,
       case when $3 = 'Resolved' then borsello.platform_now() + interval '4 days' end)`,
    [caseNumber, partnerKey, status],
  );
  return caseNumber;
};
