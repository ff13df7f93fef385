/**
 * The users an event is for: the union of these, without `except`. The server resolves it when it delivers the event, so
 * users who have lost access by then do not get the event.
 */
export interface Audience {
  /** Everyone active in the organization. */
  everyone?: true;
  /** Everyone but guests. */
  non_guests?: true;
  administrators?: true;
  users?: readonly number[];
  /**
   * Limits the audience to those of `users` who are in this conversation now, and were when its newest message had this `seq`.
   * Servers of earlier releases do not know it: to them the event is for all of `users`.
   */
  users_of?: ConversationPosition;
  /** Users who are in this conversation now, and were when its newest message had this `seq`, if one is given. */
  conversation?: { id: number; seq?: number };
  /**
   * Users who can read the message now: subscribers of its stream, and users with the message in their history. Where history
   * is shared, this includes later subscribers. After a move to another stream: users with the message in their history there,
   * and users who were in the stream `left`.
   */
  message?: { id: number; left?: ConversationPosition };
  /** Who was in the stream `from` and not in `to`, and cannot read this message now. */
  lost?: { message_id: number; from: ConversationPosition; to: ConversationPosition };
  /** Queues for all public streams, while this stream is public and their owner no guest. */
  public_stream?: number;
  except?: readonly number[];
}

/** A conversation when its newest number was this `seq`. Who was in it then has the number among those that they received. */
export interface ConversationPosition {
  readonly id: number;
  readonly seq: number;
}
