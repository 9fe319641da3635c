/** E-mail addresses: dot-separated atoms, no consecutive dots, no plus sign before the @. */

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

/** The local part ends in no plus sign; the last label of the domain begins with a letter. */
export const emailPattern = new RegExp(
  `^(?=.{1,64}@)(?=.{3,254}$)${atom}(?:\\.${atom})*(?<!\\+)@(?:${label}\\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]$`,
);

export const normaliseEmail = (email: string): string => email.toLowerCase();
