// Writes the settings and limits that the documentation lists, as the server has them. It is a task of its own, so that the
// documentation is built beside the validators; what it writes is not committed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { collectionLimitTable } from '../src/config/collection-limit-table.ts';
import { requestLimitTable } from '../src/config/request-limit-table.ts';
import { variableTable } from '../src/config/variables.ts';

const out = new URL('../generated/', import.meta.url);
const tables = { variables: variableTable, requestLimits: requestLimitTable, collectionLimits: collectionLimitTable };
mkdirSync(out, { recursive: true });
writeFileSync(new URL('reference-tables.json', out), `${JSON.stringify(tables, null, 1)}\n`);
