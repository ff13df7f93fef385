import type { ErrorPage } from './errors.ts';

/** TypeScript that catches an error by its code and reads its additional fields. */
export function catchSample({
  code,
  extraFields,
  sometimes,
  operations,
}: Pick<ErrorPage, 'code' | 'extraFields' | 'sometimes' | 'operations'>): string {
  const call = operations[0]?.id ?? 'getOwnUser';
  const inBody = (name: string) => (/^[a-z]\w*$/.test(name) ? `error.body.${name}` : `error.body['${name}']`);
  const fields = extraFields.filter(({ name }) => !sometimes.includes(name)).map(({ name }) => inBody(name));
  return [
    "import { ParleyError } from '@parley/client';",
    '',
    'try {',
    `  await api.${call}(params);`,
    '} catch (error) {',
    '  if (!(error instanceof ParleyError)) throw error;',
    `  if (error.body.code !== '${code}') throw error;`,
    `  console.error(${['error.body.msg', ...fields].join(', ')});`,
    ...sometimes.map((name) => `  if ('${name}' in error.body) console.error(${inBody(name)});`),
    '}',
  ].join('\n');
}
