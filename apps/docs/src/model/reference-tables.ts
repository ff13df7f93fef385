/** The settings and limits of the server, which `npm run generate` writes into `packages/server/generated/reference-tables.json`. */
export interface ReferenceTables {
  variables: readonly VariableRow[];
  collectionLimits: readonly CollectionLimitRow[];
  requestLimits: readonly RequestLimitRow[];
}

/** A limit of a request. */
interface RequestLimitRow {
  what: string;
  default: string;
  setting?: string;
  code?: string;
}

/** A limit of a collection. */
interface CollectionLimitRow {
  name: string;
  default: number;
  per: string;
  counts: string;
  room: string;
}

/** A variable of the environment. */
interface VariableRow {
  name: string;
  default?: string | undefined;
  about: string;
}

export const requestLimitLines = (limits: readonly RequestLimitRow[]): string =>
  limits
    .map(({ what, default: fallback, setting, code }) => {
      const change = setting ? ` Setting: \`${setting}\`.` : '';
      return `- ${what}: ${fallback}.${change}${code ? ` Error: \`${code}\`.` : ''}`;
    })
    .join('\n');

export const collectionLimitLines = (limits: readonly CollectionLimitRow[]): string =>
  limits
    .map(
      ({ name, default: fallback, per, counts, room }) =>
        `- \`${name}\` (default ${fallback}, per ${per}): ${counts}. To make room: ${room}`,
    )
    .join('\n');

export const variableLines = (variables: readonly VariableRow[]): string =>
  variables
    .map(
      ({ name, default: fallback, about }) =>
        `- \`${name}\` (${fallback === undefined ? 'no default' : `default \`${fallback}\``}): ${about}`,
    )
    .join('\n');
