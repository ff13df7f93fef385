// The statements that the tests ran on PostgreSQL and not on the embedded database.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of folders with a file for each process, called like its database; a line of a file is a statement. */
export function onlyOnPostgres(folders) {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => ({ folder, name })));
  const on = (database) =>
    new Set(
      files
        .filter(({ name }) => name.startsWith(database))
        .flatMap(({ folder, name }) => readFileSync(join(folder, name), 'utf8').split('\n'))
        .filter(Boolean),
    );
  const embedded = on('embedded');
  return [...on('postgres')].filter((statement) => !embedded.has(statement));
}
