/** Whether a card's limits and PIN may still be changed (contract 3.3). */
import type { CardStatus } from "./statuses.js";

/** A locked card may be unlocked; what is Blocked, Deleted or past its month comes back no more. */
export const isLiveCard = ({
  status,
  isOver,
}: {
  readonly status: CardStatus;
  readonly isOver: boolean;
}): boolean => (status === "Active" || status === "Locked") && !isOver;
