/** Dates of histories and entities as the service writes them: seven digits of a second, of which we know three. */
export const preciseDate = (date: Date): string => date.toISOString().replace("Z", "0000Z");
