/** Text that PostgreSQL cannot hold: NUL characters, and halves of surrogate pairs. */

const unstorable = /\0|\p{Surrogate}/u;

export const isStorable = (text: string): boolean => !unstorable.test(text);
