/** The `Name` of a User-Agent `Name/Version ...` (behaviour 1.7). */
export function clientName(userAgent: string | undefined): string {
  const [, name] = /^([^/]+)\//.exec(userAgent ?? '') ?? [];
  return name?.trim() || 'Unspecified';
}
