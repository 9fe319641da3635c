/** Priorities of tickets, and the spellings of their states. */
import { expect, test } from "vitest";
import { priorityOf, type Urgency } from "../../../shared/domain/ticketing/priority.js";
import { statusOfUrl, ticketStatuses, urlForm } from "../../../shared/domain/ticketing/status.js";

test.each<[Urgency["type"], Urgency["impact"], string, number]>([
  ["Alert", null, "Indisponibilita del servizio", 0],
  ["Alert", "isolato", "Indisponibilita del servizio", 0],
  ["Business", "massivo", "Segnalazioni B2B", 1],
  ["Consumer", "massivo", "Altro", 1],
  ["Consumer", null, "SDD", 2],
  ["Consumer", "isolato", "SDD", 2],
  ["Consumer", null, "Altro", 2],
  ["Consumer", "isolato", "Altro", 3],
])("%s, impact %s, %s has priority %i", (type, impact, category, priority) => {
  expect(priorityOf({ type, impact, category })).toBe(priority);
});

test.each(ticketStatuses)("%s is found by its form in addresses, in any case", (status) => {
  const form = urlForm(status);
  expect(form).toBe(status === "In progress" ? "InProgress" : status);
  for (const spelt of [form, form.toLowerCase(), form.toUpperCase()])
    expect(statusOfUrl(spelt)).toBe(status);
});

test.each(["In progress", "", "Status", "New ", "Cancelled", "toString"])(
  "'%s' names no state in an address",
  (text) => {
    expect(statusOfUrl(text)).toBeUndefined();
  },
);
