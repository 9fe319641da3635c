/** What pages keep, by name; a browser that lets them keep nothing still remembers while the page is open. */
type Place = "localStorage" | "sessionStorage";

const meanwhile = new Map<string, string>();

export const readKept = (place: Place, name: string): string | null => {
  try {
    return meanwhile.get(name) ?? window[place].getItem(name);
  } catch {
    // Nothing is kept here.
    return null;
  }
};

export const keep = (place: Place, name: string, text: string): void => {
  try {
    window[place].setItem(name, text);
    meanwhile.delete(name);
  } catch {
    // Nothing is kept here: the text ends with the page.
    meanwhile.set(name, text);
  }
};

export const forget = (place: Place, name: string): void => {
  meanwhile.delete(name);
  try {
    window[place].removeItem(name);
  } catch {
    // Nothing is kept here.
  }
};
