/** What pages keep, by name; a browser that lets them keep nothing still remembers while the page is open. */
type Place = "localStorage" | "sessionStorage";

const meanwhile = new Map<string, string>();

export const readKept = (place: Place, name: string): string | null => {
  try {
    return window[place].getItem(name);
  } catch {
    // Nothing is kept here.
    return meanwhile.get(name) ?? null;
  }
};

export const keep = (place: Place, name: string, text: string): void => {
  try {
    window[place].setItem(name, text);
  } catch {
    // Nothing is kept here: the text ends with the page.
    meanwhile.set(name, text);
  }
};
