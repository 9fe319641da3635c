/** The chapters of the story, in its order: each is recorded in a file of its own. */

export const chapters = [
  "onboarding",
  "money",
  "reports",
  "settlement",
  "stores",
  "wallets",
  "cards",
  "card-payments",
  "tickets",
  "end-of-card",
  "sandbox",
  "events",
  "ending",
] as const;
