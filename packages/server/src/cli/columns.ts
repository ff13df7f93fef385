/** Formats rows in columns of the necessary width. */
export function columns(rows: readonly (readonly unknown[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, n) => Math.max(...rows.map((row) => String(row[n]).length)));
  return rows.map((row) =>
    row
      .map((cell, n) => String(cell).padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
