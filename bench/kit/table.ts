/** Plain-text tables for the terminal. */

/** Columns as wide as their longest cell, a rule below the header. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = header.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd();
  return [
    line(header),
    widths.map((width) => "-".repeat(width)).join("   "),
    ...rows.map(line),
  ].join("\n");
};
