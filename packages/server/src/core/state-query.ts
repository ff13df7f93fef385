import type { SQL } from 'drizzle-orm';
import type { Schema } from './contract.ts';
import type { MaybePreserialized } from './preserialized-json.ts';

export type RegistrationState = MaybePreserialized<Partial<Schema<'State'>>>;

/** A part of the registration state that one statement reads together with other parts. */
export interface StateQuery {
  /** Selects one JSON value. The text is the same for all callers, so that the statement is prepared once. */
  readonly json: SQL;
  /** Converts that value to the documented shape. */
  readonly toState: (found: never) => RegistrationState | Promise<RegistrationState>;
}

/** Makes the compiler check that `toState` gets what it declares: the value that `json` selects. */
export const stateQuery = <Found>(
  json: SQL,
  toState: (found: Found) => RegistrationState | Promise<RegistrationState>,
): StateQuery => ({ json, toState });
