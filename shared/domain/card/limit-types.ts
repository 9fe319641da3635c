/** What a card's limits may bound (contract section 5): a purchase, or the sum of a day, week, month or year. */

export const cardLimitTypes = [
  "perTransaction",
  "dailyOverall",
  "weeklyOverall",
  "monthlyOverall",
  "yearlyOverall",
  "dailyAtm",
  "monthlyAtm",
  "dailyEcommerce",
  "monthlyEcommerce",
] as const;
export type CardLimitType = (typeof cardLimitTypes)[number];

export const isCardLimitType = (type: string): type is CardLimitType =>
  cardLimitTypes.some((known) => known === type);
