/** Breaks a text into lines, and finds the largest size at which it fits a box. */

/** Width of a text at a size, in points. */
export type Measure = (text: string, size: number) => number;

/** The longest beginning that fits; at least one character, so that breaking ends. */
const fittingPart = (word: string, fits: (text: string) => boolean): string => {
  const characters = Array.from(word);
  let count = characters.length;
  while (count > 1 && !fits(characters.slice(0, count).join(""))) count -= 1;
  return characters.slice(0, count).join("");
};

/** Lines no wider than `width`: broken between words, inside a word only if it is too wide alone. */
export const wrapText = (text: string, width: number, size: number, measure: Measure): string[] => {
  const fits = (line: string): boolean => measure(line, size) <= width;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (!fits(line)) {
      const part = fittingPart(line, fits);
      if (part === line) break;
      lines.push(part);
      line = line.slice(part.length);
    }
  }
  return line === "" ? lines : [...lines, line];
};

export interface FittedText {
  readonly size: number;
  readonly lineHeight: number;
  readonly lines: readonly string[];
}

const sizes = { largest: 11, smallest: 3, step: 0.5 };
const lineSpacing = 1.2;

/** At the smallest size lines that do not fit are left out: no form has room for everything. */
export const fitText = (
  text: string,
  box: { readonly width: number; readonly height: number },
  measure: Measure,
): FittedText => {
  for (let { largest: size } = sizes; ; size -= sizes.step) {
    const lineHeight = size * lineSpacing;
    const lines = wrapText(text, box.width, size, measure);
    const room = Math.max(1, Math.floor(box.height / lineHeight));
    if (lines.length <= room) return { size, lineHeight, lines };
    if (size <= sizes.smallest) return { size, lineHeight, lines: lines.slice(0, room) };
  }
};
