import pg, { type CustomTypesConfig } from 'pg';

const BIGINT = 20;
const BIGINTS = 1016;
const INTEGERS = 1007;

/** Ids stay below 2^53, so they are numbers here as they are in responses; the driver alone returns strings. */
export function withNumbers(types: CustomTypesConfig | undefined): CustomTypesConfig {
  const others = types ?? pg.types;
  const getTypeParser = (type: number, format?: 'text' | 'binary') => {
    if (type === BIGINT) return Number;
    return others.getTypeParser(type === BIGINTS ? INTEGERS : type, format);
  };
  return { getTypeParser } as CustomTypesConfig;
}
