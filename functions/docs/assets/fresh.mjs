// Values that nobody has had yet, of the kinds that the platform wants to be unique, with right check letters.
const below = (limit) => crypto.getRandomValues(new Uint32Array(1))[0] % limit;
const oneOf = (list) => list[below(list.length)];
const digits = (count) => Array.from({ length: count }, () => below(10)).join("");

/** What a character counts at an odd place, of tax ids and of Italian accounts alike. */
const odd = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
const rank = (character) =>
  /\d/.test(character) ? Number(character) : character.charCodeAt(0) - "A".charCodeAt(0);

const checkLetter = (text) => {
  let sum = 0;
  for (const [place, character] of [...text].entries())
    sum += place % 2 === 0 ? odd[rank(character)] : rank(character);
  return String.fromCharCode("A".charCodeAt(0) + (sum % 26));
};

/** Of another person of the same name: born elsewhere on another day. */
const taxId = (example) => {
  const day = String(1 + below(28)).padStart(2, "0");
  const year = String(40 + below(60));
  const born = `${year}${oneOf([..."ABCDEHLMPRST"])}${day}`;
  const text = `${example.slice(0, 6)}${born}${oneOf(["H501", "F205", "L219", "A562", "D612"])}`;
  return `${text}${checkLetter(text)}`;
};

const mod97 = (text) => {
  let rest = 0;
  for (const character of text) rest = Number(`${rest}${parseInt(character, 36)}`) % 97;
  return rest;
};

/** Another account at the same bank: IT, two check digits, a check letter, bank and branch, the account. */
const iban = (example) => {
  const account = `${example.slice(5, 15)}${digits(12)}`;
  const basic = `${checkLetter(account)}${account}`;
  return `IT${String(98 - mod97(`${basic}IT00`)).padStart(2, "0")}${basic}`;
};

/** Who asks about a payment names it; 128 bits as ids are written. */
const id = () => freshKey().replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, "$1-$2-4$3-8$4-$5");

const kinds = {
  taxId,
  iban,
  ownerIban: iban,
  transactionId: id,
  email: (example) => example.replace("@", `+${digits(8)}@`),
  code: (example) => `${example.replace(/\d+$/, "")}${digits(6)}`,
};

/** A value in place of the example's; undefined of a property that may well be the same for all. */
export const freshValue = (property, example) =>
  typeof example === "string" && property in kinds ? kinds[property](example) : undefined;

/** 32 characters: right for a body's key and for the header. */
export const freshKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/** The story is told in 2025: what is sent lies as far in the year, but ahead. */
const day = /^2025(-\d\d-\d\d(?:T.*)?)$/;

const dayMs = 24 * 60 * 60_000;

/** How many days ago: what has happened can only be asked of the past. */
const daysAgo = { fromDate: 30, toDate: 0, clearingDate: 0 };

const pastDay = (text, days) =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, text.length);

/** A day of the story as it can be sent now; other texts as they are. */
export const movedDay = (text, property) =>
  property in daysAgo && day.test(text) ? pastDay(text, daysAgo[property]) : laterDay(text);

const laterDay = (text) => text.replace(day, `${new Date().getFullYear() + 1}$1`);
