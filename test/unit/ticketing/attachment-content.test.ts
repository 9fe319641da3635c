/** Files by their content and by their names, as strangers send them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attachmentTypeOf, mayDeclare } from "../../../shared/domain/ticketing/attachment-types.js";
import { extensionOf, fileNameFault } from "../../../shared/domain/ticketing/file-names.js";
import {
  avifFile,
  compoundFileOf,
  docFile,
  docxFile,
  emlFile,
  gifFile,
  heicFile,
  jpegFile,
  pdfFile,
  pngFile,
  webpFile,
  xlsxFile,
  zipOf,
  zipOfEntries,
} from "../../support/ticketing/attachments.js";

const text = Buffer.from('Saldo;€ 3,00\r\n"è"\t\n');
const latin1 = Buffer.from("perch\xe9 no?", "latin1");
const utf16 = Buffer.from("\ufeffSaldo;€ 3,00\r\n😀", "utf16le");
const json = Buffer.from(' {"saldo":"€"}\n');

/** Whether the file is what the name says, its bytes coming in pieces of this size. */
const isTaken = (name: string, bytes: Buffer, size = bytes.length + 1): boolean => {
  const check = attachmentTypeOf(name)?.check();
  if (check === undefined) return false;
  for (let start = 0; start < bytes.length; start += size)
    if (!check.see(bytes.subarray(start, start + size))) return false;
  return check.end();
};

const good: readonly (readonly [string, Buffer])[] = [
  ["a.pdf", pdfFile],
  ["a.PNG", pngFile],
  ["a.jpg", jpegFile],
  ["a.jpeg", jpegFile],
  ["a.webp", webpFile],
  ["a.txt", text],
  ["a.txt", latin1],
  ["a.csv", text],
  ["a.txt", utf16],
  ["a.csv", Buffer.from(utf16).swap16()],
  ["a.gif", gifFile],
  ["a.heic", heicFile],
  ["a.heic", Buffer.from("\0\0\0\x10ftypheic\0\0\0\0", "latin1")],
  ["a.eml", emlFile],
  ["a.eml", Buffer.concat([emlFile, Buffer.alloc(70_000, "a")])],
  [
    "a.eml",
    Buffer.from(`From: a@b.example\nTo: c@d.example\nX-Long: ${"a\n ".repeat(40_000)}\n\n`),
  ],
  ["a.zip", zipOf("a.txt", "b/c.txt", "b/..c")],
  ["a.zip", zipOf()],
  ["a.zip", zipOfEntries([{ name: "a.txt" }], "un commento")],
  ["a.doc", docFile],
  ["a.json", json],
  ["a.json", Buffer.from("[]")],
  ["a.json", Buffer.from("-1")],
  ["a.docx", docxFile],
  ["a.xlsx", xlsxFile],
];

test.each(good)("%s is taken, in whatever pieces it comes", (name, bytes) => {
  for (const size of [1, 2, 3, 7, bytes.length]) expect(isTaken(name, bytes, size)).toBe(true);
});

test("a file under the name of another kind is not taken", () => {
  const kindOf = (name: string): string | undefined => attachmentTypeOf(name)?.contentType;
  const isText = (name: string): boolean => /(txt|csv|json|eml)$/.test(name);
  for (const [name] of good)
    for (const [other, bytes] of good.filter(([known]) => !isText(known)))
      // An Office document is a ZIP like any other.
      if (kindOf(name) !== kindOf(other) && !(name === "a.zip" && other.endsWith("x")))
        expect(isTaken(name, bytes), `${other} as ${name}`).toBe(false);
});

test.each<[string, string, Buffer]>([
  ["no bytes at all", "a.png", Buffer.alloc(0)],
  ["a beginning that is cut", "a.png", pngFile.subarray(0, 7)],
  ["a program", "a.txt", Buffer.from("MZ\x90\0\x03", "latin1")],
  ["text with a NUL", "a.csv", Buffer.from("a\0b")],
  ["text of two bytes per character without its mark", "a.txt", Buffer.from("testo", "utf16le")],
  ["UTF-16 with half a pair", "a.txt", Buffer.from("\ufeffa\ud800b", "utf16le")],
  ["UTF-16 that ends inside a character", "a.csv", utf16.subarray(0, utf16.length - 1)],
  ["UTF-16 with a NUL", "a.txt", Buffer.from("\ufeffa\0", "utf16le")],
  ["UTF-32", "a.txt", Buffer.from("\ufeff\0a\0", "utf16le")],
  ["AVIF", "a.heic", avifFile],
  ["a video", "a.heic", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1")],
  ["a box that has no end", "a.heic", Buffer.from("\xff\xff\xff\xf0ftypheic\0\0\0\0", "latin1")],
  ["a text without a sender", "a.eml", Buffer.from("Subject: a\n\nFrom: b\n")],
  ["a text that is no head", "a.eml", Buffer.from("Buongiorno,\nFrom: a\nDate: b\n\n")],
  ["a message with a NUL", "a.eml", Buffer.concat([emlFile, Buffer.alloc(1)])],
  ["a spreadsheet of before 2007", "a.doc", compoundFileOf("Root Entry", "Workbook")],
  [
    "a document of before 2007 with macros",
    "a.doc",
    compoundFileOf("WordDocument", "_VBA_PROJECT"),
  ],
  [
    "a document of before 2007 with macros, in small letters",
    "a.doc",
    compoundFileOf("WordDocument", "_vba_project"),
  ],
  ["a name inside no compound file", "a.doc", Buffer.from("WordDocument", "utf16le")],
  ["a ZIP with something in front", "a.zip", Buffer.concat([Buffer.from("MZ"), zipOf("a")])],
  ["a ZIP with something behind", "a.zip", Buffer.concat([zipOf("a"), Buffer.from("x")])],
  [
    "a ZIP with a second end",
    "a.zip",
    zipOfEntries([{ name: "a" }], "PK\x05\x06" + "\0".repeat(18)),
  ],
  ["an entry above its folder", "a.zip", zipOf("a/../../b")],
  ["an entry above its folder of Windows", "a.zip", zipOf("a\\..\\..\\b")],
  ["an entry at the root", "a.zip", zipOf("/etc/passwd")],
  ["an entry on a drive", "a.zip", zipOf("c:\\a")],
  ["an entry with a control character", "a.zip", zipOf("a\nb")],
  ["a link", "a.zip", zipOfEntries([{ name: "a", isLink: true }])],
  ["entries of one name", "a.zip", zipOf("a", "a")],
  ["entries within each other", "a.zip", zipOfEntries([{ name: "a" }, { name: "b", from: 0 }])],
  ["an entry in the directory", "a.zip", zipOfEntries([{ name: "a", from: 20 }])],
  ["a bomb", "a.zip", zipOfEntries([{ name: "a", method: 8, unpackedBytes: 4_000_000_000 }])],
  ["an entry of two sizes", "a.zip", zipOfEntries([{ name: "a", unpackedBytes: 2 }])],
  ["an entry packed in a rare way", "a.zip", zipOfEntries([{ name: "a", method: 99 }])],
  ["an entry with another name", "a.zip", zipOfEntries([{ name: "a", otherName: "../a" }])],
  [
    "a bomb in a document",
    "a.docx",
    zipOfEntries(
      ["[Content_Types].xml", "word/document.xml"].map((name) => ({
        name,
        unpackedBytes: 300_000_000,
      })),
    ),
  ],
  ["text with an escape sequence", "a.txt", Buffer.from("\x1b]0;title\x07")],
  ["a PDF", "a.txt", Buffer.from("%PDF-1.4\ntext only")],
  ["JSON that is not UTF-8", "a.json", Buffer.from('{"a":"\xe9"}', "latin1")],
  ["JSON that ends inside a character", "a.json", Buffer.from("[\xe2\x82", "latin1")],
  ["JSON that begins like HTML", "a.json", Buffer.from("<p>{}")],
  ["JSON of white space", "a.json", Buffer.from(" \n")],
  ["a plain ZIP", "a.docx", zipOf("readme.txt")],
  ["a spreadsheet", "a.docx", xlsxFile],
  ["a document without its types", "a.docx", zipOf("word/document.xml")],
  [
    "a document with macros",
    "a.docx",
    zipOf("[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"),
  ],
  ["a ZIP whose directory is cut", "a.xlsx", xlsxFile.subarray(0, xlsxFile.length - 30)],
])("%s is not taken as %s", (_what, name, bytes) => {
  for (const size of [1, 5, bytes.length + 1]) expect(isTaken(name, bytes, size)).toBe(false);
});

/** A sound ZIP, some bytes of which are others. */
const spoiled = (bytes: Buffer): Buffer => {
  const file = Buffer.from(docxFile);
  for (let at = 0; at + 1 < bytes.length; at += 2)
    file[((bytes[at] ?? 0) * file.length) >> 8] = bytes[at + 1] ?? 0;
  return file;
};

test("no bytes make a check throw, nor does it matter how they are cut", () => {
  const some = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const zips = some.map((bytes) => Buffer.concat([docxFile.subarray(0, 40), bytes, docxFile]));
  fc.assert(
    fc.property(
      fc.constantFrom("a.pdf", "a.txt", "a.json", "a.docx", "a.zip", "a.doc", "a.eml", "a.heic"),
      fc.oneof(
        some,
        zips,
        some.map(spoiled),
        some.map((bytes) => Buffer.concat([utf16, bytes])),
      ),
      fc.integer({ min: 1, max: 50 }),
      (name, bytes, size) => {
        expect(isTaken(name, bytes, size)).toBe(isTaken(name, bytes));
      },
    ),
  );
});

test("a caller declares bytes, the very type of the file, or nothing", () => {
  const png = attachmentTypeOf("a.png");
  if (png === undefined) throw new Error("no type");
  const declared = [undefined, "application/octet-stream", "image/png", "image/jpeg", "text/plain"];
  expect(declared.map((type) => mayDeclare(png, type))).toEqual([true, true, true, false, false]);
});

describe("names", () => {
  test.each([
    "estratto conto (2).pdf",
    "perché no.txt",
    "报告.xlsx",
    "📎.png",
    "a.b.c.txt",
    `${"a".repeat(251)}.txt`,
    `${"📎".repeat(251)}.txt`,
    "console.txt",
    "com10.txt",
    "👨‍👩‍👧.png",
    "🏳️‍🌈 ❤️‍🔥 👩🏽‍💻.txt",
  ])("%s is a name", (name) => {
    expect(fileNameFault(name)).toBeUndefined();
  });

  test.each([
    ["nothing", ""],
    ["256 characters", `${"a".repeat(252)}.txt`],
    ["a folder", "a/b.txt"],
    ["a folder of Windows", "a\\b.txt"],
    ["the folder above", ".."],
    ["a drive or a second stream", "a.txt:b.txt"],
    ["a wildcard", "*.txt"],
    ["a tag", "<b>.txt"],
    ["a quote", 'a".txt'],
    ["a line feed", "a\nb.txt"],
    ["a NUL", "a\0.txt"],
    ["a C1 control", "a\u0085.txt"],
    ["a right-to-left override", "a\u202etxt.exe"],
    ["an isolate", "a\u2066b.txt"],
    ["an invisible space", "a\u200b.txt"],
    ["a joiner between letters", "a\u200db.txt"],
    ["a joiner behind a picture", "📎\u200d.txt"],
    ["two joiners", "👨\u200d\u200d👧.txt"],
    ["a byte order mark", "\ufeffa.txt"],
    ["a line separator", "a\u2028b.txt"],
    ["an invisible letter", "a\u3164.txt"],
    ["half a pair", "a\ud800.txt"],
    ["what was not UTF-8", "a\ufffd.txt"],
    ["a dot in front", ".txt"],
    ["a dot behind", "a.txt."],
    ["a space behind", "a.txt "],
    ["a device", "CON"],
    ["a device with an extension", "lpt1.txt"],
  ])("%s makes none", (_what, name) => {
    expect(fileNameFault(name)).toMatch(/^must .*\.$/);
  });

  test.each([
    ["a.PDF", "pdf"],
    ["a.tar.gz", "gz"],
    ["a", ""],
    [".pdf", ""],
    ["a.", ""],
  ])("%s has the extension %j", (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});
