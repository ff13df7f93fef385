/** The `Name` of a User-Agent `Name/Version ...` (docs/behaviour/requests.md#client-names). */
export function clientName(userAgent: string | undefined): string {
  const [, name] = /^([^/]+)\//.exec(userAgent ?? '') ?? [];
  return name?.trim() || 'Unspecified';
}
