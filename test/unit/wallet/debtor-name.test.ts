/** Whose name a transfer bears: what banks make of names, and what is somebody else's. */
import { expect, test } from "vitest";
import { debtorNameFits } from "../../../shared/domain/wallet/debtor-name.js";

const named = (holder: string) => {
  const [firstName = "", lastName = ""] = holder.split(" / ");
  return { firstName, lastName };
};

/** First and last name of the wallet, then the debtor's name. */
test.each([
  ["Maria / Rossi", "Maria Rossi"],
  ["Maria / Rossi", "ROSSI MARIA"],
  ["Maria / Rossi", "  rossi,maria  "],
  // Second names, titles, joint holders.
  ["Mario / Rossi", "ROSSI MARIO GIUSEPPE"],
  ["Mario / Rossi", "SIG. MARIO ROSSI"],
  ["Mario / Rossi", "SIG.MARIO ROSSI"],
  ["Mario / Rossi", "ROSSI MARIO E BIANCHI ANNA"],
  ["Anna / Bianchi", "ROSSI MARIO E BIANCHI ANNA"],
  ["Anna / Bianchi", "ROSSI MARIO-BIANCHI ANNA"],
  ["Anna / Bianchi", "Dott.ssa Anna Bianchi in Rossi"],
  ["Mario / Rossi", "ROSSI MARIO/ROSSI MARIA"],
  // Together and apart.
  ["Maria / De Luca", "DELUCA MARIA"],
  ["Maria / Deluca", "DE LUCA MARIA"],
  ["Maria / D'Angelo", "D ANGELO MARIA"],
  ["Maria / D’Angelo", "DANGELO MARIA"],
  ["Maria / Dangelo", "MARIA D`ANGELO"],
  ["Anna / Rossi-Bianchi", "ROSSI BIANCHI ANNA"],
  ["Anna / Rossi Bianchi", "ANNA ROSSI-BIANCHI"],
  ["Anna / Rossi-Bianchi", "ROSSIBIANCHI ANNA"],
  ["Maria Grazia / Verdi", "VERDI MARIAGRAZIA"],
  ["Mariagrazia / Verdi", "VERDI MARIA GRAZIA"],
  ["Maria-Grazia / Verdi", "MARIA GRAZIA VERDI"],
  ["Jean-Luc / Della Torre", "DELLATORRE JEAN LUC"],
  // Accents, umlauts, letters without a place in A to Z.
  ["Jörg / Müller", "MUELLER JOERG"],
  ["Jörg / Müller", "MULLER JORG"],
  ["Jörg / Müller", "Mu\u0308ller Jo\u0308rg"],
  ["Joerg / Mueller", "MÜLLER JÖRG"],
  ["Jo\u0308rg / Mu\u0308ller", "MÜLLER JÖRG"],
  ["Jörg / Müller", "MUELLER JORG"],
  ["Niccolò / Rossi", "NICCOLO' ROSSI"],
  ["Nicolò / Papà", "PAPA NICOLO"],
  ["Nicolo\u0300 / Papa\u0300", "PAPÀ NICOLÒ"],
  ["Anna / Groß", "GROSS ANNA"],
  ["Anna / Gross", "GROß ANNA"],
  ["Søren / Ærø", "AERO SOREN"],
  ["Søren / Ærø", "AEROE SOEREN"],
  ["Begoña / Núñez", "NUNEZ BEGONA"],
  ["Łukasz / Đorđević", "DORDEVIC LUKASZ"],
  // Both halves alike, one letter, another alphabet in full.
  ["Rossi / Rossi", "ROSSI ROSSI"],
  ["Anna / Anna Maria", "ANNA MARIA ANNA"],
  ["Anna / O", "O ANNA"],
  ["Иван / Петров", "петров иван"],
])("%s is in %s", (holder, debtorName) => {
  expect(debtorNameFits(debtorName, named(holder))).toBe(true);
});

test.each([
  ["Mario / Rossi", "ROSSI MARIA"],
  ["Maria / Rossi", "Mario Rossi"],
  ["Mario / Rossi", "ROSSINI MARIO"],
  ["Mario / Rossi", "DEROSSI MARIO"],
  ["Mario / Rossi", "ROSSI MARIOLINA"],
  ["Mario / Rossi", "Somebody Else"],
  // Only one of both.
  ["Mario / Rossi", "ROSSI"],
  ["Mario / Rossi", "MARIO"],
  ["Rossi / Rossi", "ROSSI"],
  ["Rossi / Rossi", "ROSSI MARIO"],
  ["Anna / Anna Maria", "ANNA MARIA"],
  ["Maria Grazia / Verdi", "VERDI MARIA"],
  ["Maria / Verdi", "VERDI MARIAGRAZIA"],
  ["Anna / De Luca", "LUCA ANNA"],
  ["Angelo / Rossi", "D'ANGELO ROSSI"],
  // Initials.
  ["Mario / Rossi", "M. ROSSI"],
  ["Mario / Rossi", "ROSSI M"],
  ["Al / Rossi", "ROSSI A. L."],
  ["Mario / Rossi", "R O S S I MARIO"],
  // Halves swapped or cut across the words.
  ["Maria Grazia / Verdi", "VERDI GRAZIA MARIA"],
  ["Anna / De Luca", "LUCA DE ANNA"],
  ["Anna / Rossi", "ANN AROSSI"],
  ["Anna / Rossi", "ANNAROSSI"],
  ["Anna / De Luca", "DE ANNA LUCA"],
  // One letter is easily found.
  ["Mario / E", "ROSSI MARIO E BIANCHI ANNA"],
  ["O / Rossi", "ROSSI MARIO O ANNA"],
  ["E / O", "ROSSI E BIANCHI O VERDI"],
  // Nothing left to compare.
  ["' / -", "' -"],
  ["- / Rossi", "ROSSI"],
  ["Mario / .", "MARIO ."],
  ["Mario / Rossi", ""],
  ["Mario / Rossi", "..."],
  // Letters of another alphabet that look alike, and letters that only seem to be left out.
  ["Mario / Rossi", "R\u041ESSI MARIO"],
  ["Mario / Rossi", "ROSSI MAR\u0406O"],
  ["Mario / Ross", "ROSS\u0406 MARIO"],
  ["Ross / Mario", "\u0420ROSS MARIO"],
  ["Mario / Rossi", "ROSSI2 MARIO"],
  // Other names, not other spellings.
  ["Rafał / Nowak", "NOWAK RAFAEL"],
  ["Manuel / Rossi", "ROSSI MANUL"],
  ["Joerg / Mueller", "MULLER JORG"],
  ["Jörg / Müller", "MOELLER JOERG"],
  ["Anna / Groß", "GROS ANNA"],
  ["Anna / Gross", "GROSZ ANNA"],
])("%s is not in %s", (holder, debtorName) => {
  expect(debtorNameFits(debtorName, named(holder))).toBe(false);
});
