/** Which countries are in the euro area at a moment: clearings are split by it. */

/** Members by ISO 3166-1 alpha-3, with the year in which each took the euro (ECB, "Our money"). */
const members: Readonly<Record<string, number>> = {
  AUT: 1999,
  BEL: 1999,
  DEU: 1999,
  ESP: 1999,
  FIN: 1999,
  FRA: 1999,
  IRL: 1999,
  ITA: 1999,
  LUX: 1999,
  NLD: 1999,
  PRT: 1999,
  GRC: 2001,
  SVN: 2007,
  CYP: 2008,
  MLT: 2008,
  SVK: 2009,
  EST: 2011,
  LVA: 2014,
  LTU: 2015,
  HRV: 2023,
  BGR: 2026,
};

/** Parts of members that have country codes of their own (TFEU, articles 349 and 355). */
const parts: Readonly<Record<string, string>> = {
  ALA: "FIN",
  GLP: "FRA",
  GUF: "FRA",
  MAF: "FRA",
  MTQ: "FRA",
  MYT: "FRA",
  REU: "FRA",
};

const hourMs = 3_600_000;

/** Of Europe/Rome, which is an hour ahead of UTC whenever a year begins. */
const yearAt = (moment: string): number => new Date(Date.parse(moment) + hourMs).getUTCFullYear();

/** A transaction belongs to the area that there was at its moment (ISO 8601). */
export const isInEuroArea = (country: string, moment: string): boolean => {
  const since = members[parts[country] ?? country];
  return since !== undefined && yearAt(moment) >= since;
};

/** Every member of the area at a moment, without the parts that have codes of their own. */
export const euroAreaAt = (moment: string): readonly string[] =>
  Object.keys(members).filter((country) => isInEuroArea(country, moment));
