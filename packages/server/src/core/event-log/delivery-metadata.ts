import type { SQL } from 'drizzle-orm';

/** Messages of a conversation by their `seq`; some of these may stand for none. */
export interface MessageSeqs {
  readonly conversation_id: number;
  /** An int4multirange literal without open ends. */
  readonly seqs: string;
  /** How many numbers these are. */
  readonly count: number;
}

/** Messages that a user had in their history without having received them. */
export interface IndividualAccess {
  readonly user_id: number;
  /** Of messages; ascending. */
  readonly ids: readonly number[];
}

/** Facts of an event that decide how it is delivered. They are not part of the payload. */
export interface EventDeliveryMetadata {
  /** Markdown of a message, for queues without `apply_markdown`. */
  raw_content?: string;
  /** The sender's own queue and what it calls the message. */
  local?: { queue_id: string; message_id: string };
  /** The `seq` that each of `message_ids` has or had in a conversation. */
  seqs?: {
    readonly conversation_id: number;
    readonly of: readonly number[];
    /** Its history is protected: users get events about the messages that they received. */
    readonly is_protected: boolean;
    /** They were deleted, or moved out of it. */
    readonly are_gone: boolean;
    /** For streams with protected history: messages that users had individual access to and lost. */
    readonly kept?: readonly IndividualAccess[];
  };
  /** It is about the messages that had these numbers when it was written; which they are is looked up when it is delivered. */
  numbers?: readonly MessageSeqs[];
  /** What `prewriteEventLists` gave for the lists that it begins with; `message_ids` and `seqs` are those that follow. */
  ahead?: number;
  /** It is about all messages of this topic up to that id; which they are is looked up when it is delivered. */
  topic?: { id: number; up_to: number };
  /**
   * Statements that run as parts of the one that writes the event, the last of the transaction: each inserts, updates or deletes
   * rows that no other of them touches, and has a `returning` clause. Nothing in the transaction sees what they write.
   */
  writes?: readonly SQL[];
}
