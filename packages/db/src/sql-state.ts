/** The SQLSTATE of a failed statement, e.g. `23505` for a broken unique index. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && code.length === 5) return code;
  return sqlState(error.cause);
}
