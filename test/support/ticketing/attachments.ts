/** Files, tickets and uploads for tests of attachments. */
import { randomUUID } from "node:crypto";
import type { Database } from "../../../shared/database/platform/database.js";
import type { TicketStatus } from "../../../shared/domain/ticketing/status.js";

export const pdfFile = Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "latin1");
export const pngFile = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1");
export const jpegFile = Buffer.from("\xff\xd8\xff\xe0\0\x10JFIF\0", "latin1");
export const webpFile = Buffer.from("RIFF\x24\0\0\0WEBPVP8 ", "latin1");

export const gifFile = Buffer.from("GIF89a\x01\0\x01\0\x80\0\0", "latin1");
export const heicFile = Buffer.from("\0\0\0\x18ftypmif1\0\0\0\0mif1heic\0\0\x01\x2cmeta", "latin1");
export const avifFile = Buffer.from("\0\0\0\x18ftypavif\0\0\0\0mif1avif\0\0\x01\x2cmeta", "latin1");

/** A message with a field folded over two lines. */
export const emlFile = Buffer.from(
  "Received: from mail.example\r\n by mx.example; Mon, 2 Nov 2026 10:00:00 +0100\r\n" +
    "From: Maria <maria@example.com>\r\nSubject: Saldo\r\n\r\nPerché?\r\n",
);

/** A compound file whose directory has these names, in Word's code. */
export const compoundFileOf = (...names: readonly string[]): Buffer => {
  const head = Buffer.alloc(512);
  head.write("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1");
  head.set([0x3e, 0, 0x03, 0, 0xfe, 0xff, 0x09, 0], 24);
  const directory = names.map((name) => {
    const entry = Buffer.alloc(128);
    entry.write(name, "utf16le");
    return entry;
  });
  return Buffer.concat([head, ...directory]);
};
export const docFile = compoundFileOf("Root Entry", "WordDocument", "1Table");

export interface ZipEntry {
  readonly name: string;
  /** What it is said to hold. */
  readonly unpackedBytes?: number;
  /** Where it is said to begin, instead of where it does. */
  readonly from?: number;
  readonly isLink?: boolean;
  /** How it is said to be packed; by default not at all. */
  readonly method?: number;
  /** Its name in Unicode, beside its own. */
  readonly otherName?: string;
}

/** The field 0x7075: version, check sum, name. */
const unicodePath = (name: string): Buffer => {
  const field = Buffer.concat([Buffer.alloc(9), Buffer.from(name)]);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(field.length - 4, 2);
  return field;
};

/** A ZIP of one byte for each entry, as its entries say. */
export const zipOfEntries = (entries: readonly ZipEntry[], comment = ""): Buffer => {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, unpackedBytes = 1, from, isLink = false, ...more } of entries) {
    const { method = 0, otherName } = more;
    const extra = otherName === undefined ? Buffer.alloc(0) : unicodePath(otherName);
    const nameBytes = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.write("PK\x03\x04", "latin1");
    local.writeUInt32LE(1, 18);
    local.writeUInt32LE(unpackedBytes, 22);
    local.writeUInt16LE(nameBytes.length, 26);
    locals.push(local, nameBytes, Buffer.from("x"));
    const head = Buffer.alloc(46);
    head.write("PK\x01\x02", "latin1");
    head.writeUInt16LE(method, 10);
    head.writeUInt16LE(extra.length, 30);
    head.writeUInt32LE(1, 20);
    head.writeUInt32LE(unpackedBytes, 24);
    head.writeUInt16LE(nameBytes.length, 28);
    if (isLink) head.writeUInt32LE(0xa1ff0000, 38);
    head.writeUInt32LE(from ?? at, 42);
    directory.push(head, nameBytes, extra);
    at += local.length + nameBytes.length + 1;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment, "latin1"), 20);
  return Buffer.concat([...locals, listed, end, Buffer.from(comment, "latin1")]);
};

export const zipOf = (...names: readonly string[]): Buffer =>
  zipOfEntries(names.map((name) => ({ name })));

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
