/** The categories of tickets, and those that a type of ticket asks for. */

export const ticketCategories = [
  "Saldo non aggiornato",
  "Ricarica non visibile",
  "Ricarica SCT/CASH non visibile",
  "Ricarica welfare",
  "Altri problemi sui pagamenti",
  "Rimborso cash",
  "SDD",
  "Validazione IBAN",
  "Registrazione servizio",
  "Chiusura wallet",
  "Indisponibilita del servizio",
  "Segnalazioni B2B",
  "Altro",
] as const;
export type TicketCategory = (typeof ticketCategories)[number];

/** The only category of a type; a Consumer's ticket may have any. */
export const categoryOfType: Readonly<
  Record<"Consumer" | "Alert" | "Business", TicketCategory | null>
> = {
  Consumer: null,
  Alert: "Indisponibilita del servizio",
  Business: "Segnalazioni B2B",
};
