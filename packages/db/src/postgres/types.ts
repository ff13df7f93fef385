import pg, { type CustomTypesConfig } from 'pg';

const BIGINT = 20;
const BIGINTS = 1016;
const INTEGERS = 1007;

const { builtins } = pg.types;
/** Types whose values Drizzle reads as text: dates, times, and lists of them and of numerics. */
const DATES = [
  builtins.TIMESTAMPTZ,
  builtins.TIMESTAMP,
  builtins.DATE,
  builtins.INTERVAL,
  1231,
  1115,
  1185,
  1187,
  1182,
];
const isDate = (type: number): boolean => (DATES as readonly number[]).includes(type);

/** Has the driver read values as Drizzle does. */
export const TEXT_DATES: CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    isDate(type) ? (text: string) => text : pg.types.getTypeParser(type, format),
} as CustomTypesConfig;

/** Ids stay below 2^53, so they are numbers here as they are in responses; the driver alone returns strings. */
export const withNumbers = (types: CustomTypesConfig | undefined): CustomTypesConfig =>
  types === TEXT_DATES ? NUMBERS_AND_TEXT_DATES : addNumbers(types ?? pg.types);

function addNumbers(types: Pick<CustomTypesConfig, 'getTypeParser'>): CustomTypesConfig {
  const getTypeParser = (type: number, format?: 'text' | 'binary') => {
    if (type === BIGINT) return Number;
    return types.getTypeParser(type === BIGINTS ? INTEGERS : type, format);
  };
  return { getTypeParser } as CustomTypesConfig;
}

/** Of nearly every statement. */
const NUMBERS_AND_TEXT_DATES = addNumbers(TEXT_DATES);
