import type { ErrorPage } from './errors.ts';

/** TypeScript that catches a refusal by its code and reads its extra fields. */
export function catchSample({
  code,
  extraFields,
  operations,
}: Pick<ErrorPage, 'code' | 'extraFields' | 'operations'>): string {
  const call = operations[0]?.id ?? 'getOwnUser';
  const fields = extraFields.map(({ name }) =>
    /^[a-z]\w*$/.test(name) ? `error.body.${name}` : `error.body['${name}']`,
  );
  return [
    "import { ParleyError } from '@parley/client';",
    '',
    'try {',
    `  await api.${call}(params);`,
    '} catch (error) {',
    '  if (!(error instanceof ParleyError)) throw error;',
    `  if (error.body.code !== '${code}') throw error;`,
    `  console.error(${['error.body.msg', ...fields].join(', ')});`,
    '}',
  ].join('\n');
}
