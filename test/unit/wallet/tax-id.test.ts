/** The codice fiscale: known codes, every single-character mistake, omocodia, dates, names. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { customer } from "../../../bench/platform/customers.js";
import { checkLetter } from "../../../shared/domain/wallet/check-letter.js";
import {
  firstNameTriplet,
  lastNameTriplet,
  namesFault,
  plainLetters,
} from "../../../shared/domain/wallet/names.js";
import { normaliseTaxId, taxIdFault } from "../../../shared/domain/wallet/tax-id.js";

const withCheckLetter = (body: string): string => body + checkLetter(body);

const anyTaxId = fc.nat({ max: 2_000_000 }).map((index) => customer(index).owner.taxId);

describe("the code", () => {
  test.each(["RSSMRA85T10A562S", "MRTMTT91D08F205J", "RSSMRA80A01H501U"])("%s is sound", (code) => {
    expect(taxIdFault(code)).toBeUndefined();
  });

  test("any change of one letter or digit is noticed", () => {
    fc.assert(
      fc.property(
        anyTaxId,
        fc.nat({ max: 15 }),
        fc.constantFrom(...Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")),
        (code, place, character) => {
          fc.pre(code.charAt(place) !== character);
          const changed = code.slice(0, place) + character + code.slice(place + 1);
          expect(taxIdFault(changed)).toBeDefined();
        },
      ),
    );
  });

  test("each digit may be replaced by its omocodia letter, with the check letter made anew", () => {
    const digitPlaces = [6, 7, 9, 10, 12, 13, 14];
    fc.assert(
      fc.property(anyTaxId, fc.subarray(digitPlaces), (code, places) => {
        const body = Array.from(code.slice(0, 15), (character, place) =>
          places.includes(place) ? "LMNPQRSTUV".charAt(Number(character)) : character,
        ).join("");
        expect(taxIdFault(withCheckLetter(body))).toBeUndefined();
      }),
    );
  });

  test("other letters in a digit's place are a fault of the shape", () => {
    expect(taxIdFault(withCheckLetter("RSSMRA8ZT10A562"))).toBe("shape");
    expect(taxIdFault("RSSMRA85T10A562")).toBe("shape");
    expect(taxIdFault("")).toBe("shape");
  });

  test.each([
    ["RSSMRA85T00A562", "birthDate"],
    ["RSSMRA85T32A562", "birthDate"],
    ["RSSMRA85T40A562", "birthDate"],
    ["RSSMRA85T41A562", undefined],
    ["RSSMRA85T71A562", undefined],
    ["RSSMRA85T72A562", "birthDate"],
    ["RSSMRA85B29A562", "birthDate"],
    ["RSSMRA84B29A562", undefined],
    ["RSSMRA84B69A562", undefined],
    ["RSSMRA00B29A562", undefined],
    ["RSSMRA84B30A562", "birthDate"],
    ["RSSMRA85D31A562", "birthDate"],
  ])("the date of birth in %s: %s", (body, fault) => {
    expect(taxIdFault(withCheckLetter(body))).toBe(fault);
  });

  test("a wrong check letter is told apart from a wrong date", () => {
    expect(taxIdFault("RSSMRA85T10A562T")).toBe("checkLetter");
  });

  test("small letters and spaces around are put right before the check", () => {
    expect(normaliseTaxId(" rssmra85t10a562s ")).toBe("RSSMRA85T10A562S");
  });
});

describe("the names", () => {
  test.each([
    ["Rossi", "RSS"],
    ["Fo", "FOX"],
    ["Io", "IOX"],
    ["Aue", "AUE"],
    ["D'Angelo", "DNG"],
    ["D’Angelo", "DNG"],
    ["De Luca", "DLC"],
    ["Lo Presti", "LPR"],
    ["Rossi-Bianchi", "RSS"],
    ["Nicolò", "NCL"],
    ["Müller", "MLL"],
    ["Straße", "STR"],
    ["Łęcki", "LCK"],
    ["Øre", "ROE"],
  ])("last name %s is %s", (lastName, triplet) => {
    expect(lastNameTriplet(lastName)).toBe(triplet);
  });

  test.each([
    ["Mario", "MRA"],
    ["Anna", "NNA"],
    ["Marco", "MRC"],
    ["Gianfranco", "GFR"],
    ["Maria Grazia", "MGR"],
    ["Alessandro", "LSN"],
    ["Niccolò", "NCL"],
    ["Li", "LIX"],
    ["Bo", "BOX"],
  ])("first name %s is %s", (firstName, triplet) => {
    expect(firstNameTriplet(firstName)).toBe(triplet);
  });

  test("the name at fault is named", () => {
    expect(namesFault("RSSMRA85T10A562S", "Mario", "Rossi")).toBeUndefined();
    expect(namesFault("RSSMRA85T10A562S", "MARIO", "rossi")).toBeUndefined();
    expect(namesFault("RSSMRA85T10A562S", "Luigi", "Rossi")).toBe("firstName");
    expect(namesFault("RSSMRA85T10A562S", "Mario", "Verdi")).toBe("lastName");
  });

  test("accents, case, spaces and apostrophes change no triplet", () => {
    const name = fc.string({
      unit: fc.constantFrom(...Array.from("abcdeilmnoprstu")),
      minLength: 1,
    });
    fc.assert(
      fc.property(name, fc.nat(), (letters, at) => {
        const place = at % (letters.length + 1);
        const spelled = `${letters.slice(0, place)}' ${letters.slice(place).toUpperCase()}`
          .replaceAll("a", "à")
          .replaceAll("e", "é");
        expect(firstNameTriplet(spelled)).toBe(firstNameTriplet(letters));
        expect(lastNameTriplet(spelled)).toBe(lastNameTriplet(letters));
      }),
    );
  });

  test("every name gives three letters A to Z", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        expect(plainLetters(name)).toMatch(/^[A-Z]*$/);
        expect(firstNameTriplet(name)).toMatch(/^[A-Z]{3}$/);
        expect(lastNameTriplet(name)).toMatch(/^[A-Z]{3}$/);
      }),
    );
  });
});
