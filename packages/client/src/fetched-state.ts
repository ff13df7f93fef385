import type { StateParts } from './generated/state-parts.ts';
import type { Payload, Schema } from './types.ts';

export type Registration = Payload<'registerQueue'>;
type State = Schema<'State'>;

/** The type of `types` or `fetch_event_types`: a list, or undefined. */
export type TypeList = readonly string[] | undefined;

type PropertiesOf<Type> = Type extends keyof StateParts ? StateParts[Type] : never;
/** Properties for old clients, absent where `user_topic` is fetched as well. */
type Optional = 'muted_topics';

/** The state with these properties, and no others. */
type StateWith<Properties extends keyof State> = Required<Pick<State, Exclude<Properties, Optional>>> &
  Pick<State, Extract<Properties, Optional>> & { [P in Exclude<keyof State, Properties>]?: never };

/** Whether the compiler knows the elements of the list. */
type IsKnown<Types extends readonly string[]> = number extends Types['length'] ? false : true;

/**
 * The state that a registration returns for a list of types. A literal list: exactly its parts. No list: all parts. A
 * list that is known only at run time: every part is optional.
 */
export type FetchedState<Types extends TypeList> = [Types] extends [undefined]
  ? StateWith<keyof State>
  : Types extends readonly string[]
    ? IsKnown<Types> extends true
      ? StateWith<PropertiesOf<Types[number]>>
      : State
    : State;

/** The list that decides which parts are fetched: `fetch_event_types`, or else `types`. */
export type StateTypesOf<Types extends TypeList, Fetched extends TypeList> = [Fetched] extends [undefined]
  ? Types
  : Fetched;

/** The state that a registration with these types returns. */
export type FetchedRegistration<Types extends TypeList, Fetched extends TypeList> = Omit<Registration, keyof State> &
  FetchedState<StateTypesOf<Types, Fetched>>;
