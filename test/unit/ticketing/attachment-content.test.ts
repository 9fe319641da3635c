/** Files by their content and by their names, as strangers send them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attachmentTypeOf, mayDeclare } from "../../../shared/domain/ticketing/attachment-types.js";
import { extensionOf, fileNameFault } from "../../../shared/domain/ticketing/file-names.js";
import {
  docxFile,
  jpegFile,
  pdfFile,
  pngFile,
  webpFile,
  xlsxFile,
  zipOf,
} from "../../support/ticketing/attachments.js";

const text = Buffer.from('Saldo;€ 3,00\r\n"è"\t\n');
const latin1 = Buffer.from("perch\xe9 no?", "latin1");
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
  const isText = (name: string): boolean => /(txt|csv|json)$/.test(name);
  for (const [name] of good)
    for (const [other, bytes] of good.filter(([known]) => !isText(known)))
      if (kindOf(name) !== kindOf(other))
        expect(isTaken(name, bytes), `${other} as ${name}`).toBe(false);
});

test.each<[string, string, Buffer]>([
  ["no bytes at all", "a.png", Buffer.alloc(0)],
  ["a beginning that is cut", "a.png", pngFile.subarray(0, 7)],
  ["a program", "a.txt", Buffer.from("MZ\x90\0\x03", "latin1")],
  ["text with a NUL", "a.csv", Buffer.from("a\0b")],
  ["text of two bytes per character", "a.txt", Buffer.from("\ufefftesto", "utf16le")],
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

test("no bytes make a check throw, nor does it matter how they are cut", () => {
  const some = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const zips = some.map((bytes) => Buffer.concat([docxFile.subarray(0, 40), bytes, docxFile]));
  fc.assert(
    fc.property(
      fc.constantFrom("a.pdf", "a.txt", "a.json", "a.docx", "a.xlsx"),
      fc.oneof(some, zips),
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
