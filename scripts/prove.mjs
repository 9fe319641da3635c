// Proves a whole book from outside the app, on a read-only connection of its own.
//   npm run prove -- --database URL [--head HASH]
// Exits with 0 where everything is right, 1 where something is not, 2 where it could not look.
import { parseArgs } from "node:util";
import { table } from "../dist/bench/kit/table.js";
import { proveBook } from "../dist/shared/database/accounting/prove.js";

const usage =
  "npm run prove -- --database postgresql://… [--head HASH]\n" +
  "  --database  the book: a login that may read the schema borsello is enough\n" +
  "  --head      a headHash that GET /wallet/accounting/proof gave earlier: it must still be there";

const options = () => {
  const { values } = parseArgs({
    options: { database: { type: "string" }, head: { type: "string" } },
  });
  if (values.database === undefined) throw new Error("--database is missing.");
  if (values.head !== undefined && !/^[0-9a-f]{64}$/.test(values.head))
    throw new Error("--head must be 64 hexadecimal digits.");
  return values;
};

const numbers = new Intl.NumberFormat("en");
const isTerminal = process.stderr.isTTY === true;
const redrawMs = 100;

/** One line that is written over and over on a terminal; elsewhere there is none. */
const progressLine = () => {
  let drawnAt = 0;
  return {
    show: ({ name, rows, findings }) => {
      if (!isTerminal || performance.now() - drawnAt < redrawMs) return;
      drawnAt = performance.now();
      const found = findings === 0 ? "" : `, ${numbers.format(findings)} findings`;
      process.stderr.write(`\r\u001b[K${name}: ${numbers.format(rows)} rows${found}`);
    },
    end: () => {
      if (isTerminal) process.stderr.write("\r\u001b[K");
    },
  };
};

const perSecond = ({ rows, milliseconds }) =>
  numbers.format(Math.round((rows * 1000) / milliseconds));

const main = async () => {
  let given;
  try {
    given = options();
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    return 2;
  }
  const line = progressLine();
  const proof = await proveBook(
    { kind: "url", url: given.database },
    { head: given.head, onProgress: line.show },
  ).finally(line.end);
  const rows = proof.checks.map((check) => [
    check.name,
    numbers.format(check.rows),
    perSecond(check),
    check.findings === 0 ? "right" : `${numbers.format(check.findings)} findings`,
  ]);
  console.log(table(["check", "rows", "rows/s", "result"], rows));
  for (const [name, value] of proof.notes) console.log(`${name}: ${value}`);
  if (proof.findings.length === 0) {
    console.log("\nThe book is right.");
    return 0;
  }
  const found = proof.findings.map(({ check, subject, detail }) => [check, subject, detail]);
  console.log(`\n${table(["check", "about", "what is wrong"], found)}`);
  return 1;
};

process.exitCode = await main().catch((error) => {
  console.error(`The book could not be read: ${error.message}`);
  return 2;
});
