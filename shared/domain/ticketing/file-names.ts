/** Names of files as strangers send them: what one may look like, and its extension. */

export const fileNameCharactersMax = 255;

/** Separators of paths, and what some file system or shell gives a meaning of its own. */
const reserved = /[/\\<>:"|?*]/;

/** Control characters, halves of surrogate pairs, line separators; direction marks and what is invisible. */
const unseen = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/u;

/** Devices of Windows, with whatever extension. */
const device = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/** Pictures joined into one, such as a family: there the joiner is seen, in what it joins. */
const joinedPictures =
  /\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?(?:\u200d\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?)+/gu;

/** What is wrong with a name, as the rest of a sentence about it; undefined where nothing is. */
export const fileNameFault = (name: string): string | undefined => {
  if (name === "") return "must not be empty.";
  if (Array.from(name).length > fileNameCharactersMax)
    return `must have at most ${fileNameCharactersMax} characters.`;
  // What a decoder puts where the bytes were no text: the name would not be the one that was sent.
  if (name.includes("\ufffd")) return "must be text in UTF-8.";
  if (reserved.test(name)) return 'must be a name without a path, and without < > : " | ? *.';
  if (unseen.test(name.replace(joinedPictures, "")))
    return "must not hold control characters, or any that cannot be seen.";
  if (/^[\s.]|[\s.]$/u.test(name)) return "must not begin or end with a dot or with white space.";
  if (device.test(name)) return "must not be the name of a device.";
  return undefined;
};

/** In lower case, without its dot; empty where there is none. */
export const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf(".");
  return dot < 1 ? "" : name.slice(dot + 1).toLowerCase();
};
