import type { StateParts } from './generated/state-parts.ts';
import type { Payload, Schema } from './types.ts';

export type Registration = Payload<'registerQueue'>;
type State = Schema<'State'>;

/** What `types` or `fetch_event_types` are: a list, or nothing. */
export type TypeList = readonly string[] | undefined;

type PropertiesOf<Type> = Type extends keyof StateParts ? StateParts[Type] : never;
/** For old clients, and absent where `user_topic` is fetched as well. */
type Optional = 'muted_topics';

/** The state with these properties, and no others. */
type StateWith<Properties extends keyof State> = Required<Pick<State, Exclude<Properties, Optional>>> &
  Pick<State, Extract<Properties, Optional>> & { [P in Exclude<keyof State, Properties>]?: never };

/** The list is known to the compiler, element by element. */
type IsKnown<Types extends readonly string[]> = number extends Types['length'] ? false : true;

/**
 * The state that a registration returns for a list of types: of a literal list its parts, and nothing else; without a list all of them.
 * Of a list that is known only when the program runs each part may be there.
 */
export type FetchedState<Types extends TypeList> = [Types] extends [undefined]
  ? StateWith<keyof State>
  : Types extends readonly string[]
    ? IsKnown<Types> extends true
      ? StateWith<PropertiesOf<Types[number]>>
      : State
    : State;

/** What decides which parts are fetched: `fetch_event_types`, or else `types`. */
export type StateTypesOf<Types extends TypeList, Fetched extends TypeList> = [Fetched] extends [undefined]
  ? Types
  : Fetched;

/** What registering with these types returns. */
export type FetchedRegistration<Types extends TypeList, Fetched extends TypeList> = Omit<Registration, keyof State> &
  FetchedState<StateTypesOf<Types, Fetched>>;
