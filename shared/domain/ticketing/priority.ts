/** How urgent a new ticket is. */

export type TicketPriority = 0 | 1 | 2 | 3;

export interface Urgency {
  readonly type: "Consumer" | "Alert" | "Business";
  readonly impact: "isolato" | "massivo" | null;
  readonly category: string;
}

/** 0 is the highest; the first line that fits counts. */
export const priorityOf = ({ type, impact, category }: Urgency): TicketPriority => {
  if (type === "Alert") return 0;
  if (impact === "massivo") return 1;
  return category === "Altro" && impact === "isolato" ? 3 : 2;
};
