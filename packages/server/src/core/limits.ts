/**
 * Limits that the server reports to its clients (`POST /register`) and enforces. Specification section 8,
 * docs/behaviour/limits.md.
 */
export const limits = Object.freeze({
  max_stream_name_length: 60,
  max_stream_description_length: 1024,
  max_topic_length: 60,
  max_message_length: 10_000,
  max_file_upload_size_mib: 25,
  max_avatar_file_size_mib: 5,
  max_icon_file_size_mib: 5,
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_wait_period_milliseconds: 30_000,
  server_presence_ping_interval_seconds: 60,
  server_presence_offline_threshold_seconds: 200,
  password_min_length: 6,
  password_min_guesses: 10_000,
  event_queue_longpoll_timeout_seconds: 90,
});

const MIB = 1024 * 1024;

/** Limits that protect the server. A request beyond one fails with a message that names the limit. */
export const bounds = Object.freeze({
  /**
   * Maximum bytes of request bodies, files included, in memory at once: of the process, of one account (two of the
   * largest files and a body of the largest class), and of one address without credentials. The guaranteed amount is
   * enough for a message or a login.
   */
  request_bytes: {
    process: 256 * MIB,
    account: (2 * limits.max_file_upload_size_mib + 8) * MIB,
    address: 4 * MIB,
    guaranteed: 128 * 1024,
  },
  /** Maximum bytes of responses in memory at once because their clients have not read them. */
  response_bytes: { process: 256 * MIB, account: 64 * MIB, address: 32 * MIB, guaranteed: 0 },
  /** Files that are sent to one account at once: as many pictures as a page loads over one connection. */
  downloads: 32,
  /**
   * Milliseconds after which a request body without new bytes, or a response that its client does not read, is aborted.
   */
  idle_timeout: 30_000,
  /** Characters of a file's name. */
  file_name: 100,
  /** Maximum size of an organization's files, unless the operator sets another one. */
  upload_space: 10 * 1024 * 1024 * 1024,
  /** Fields of a form, of a query, and of a JSON body. */
  fields: 1000,
  /** Characters of a header that says what a client prefers, such as `Accept`; browsers send about 150. */
  preference_header: 1000,
  /** Keys, lists and objects in JSON, at all levels: settings of 10,000 subscriptions have 40,000. */
  json_nodes: 50_000,
  /** Values in JSON, at all levels: two and a half times 100,000 message ids. */
  json_values: 250_000,
  /**
   * Keys (`Idempotency-Key`) of an account within 24 hours: 200 requests in each minute. Bytes of the responses stored
   * under them.
   */
  idempotency_keys: { keys: 300_000, bytes: 128 * MIB },
  /** Maximum characters of a response that is stored under a key: 100,000 message ids. */
  idempotent_response: 2 * MIB,
  /** Names in `ignored_parameters_unsupported`, and characters of each. */
  ignored_names: 100,
  ignored_name: 100,
  /** Nesting depth of arrays and objects. */
  depth: 32,
  /**
   * Words in all search terms of a narrow, each of which costs an index scan; their characters, as many as of the longest message; and
   * users in one term.
   */
  search_words: 50,
  search_characters: 10_000,
  narrow_users: 1_000,
  /** Milliseconds a statement may run. */
  statement: 30_000,
  /** Milliseconds a statement of a request that only reads may run. */
  read_statement: 5_000,
  realm_name: 40,
  realm_description: 1000,
  /** Milliseconds for which the link in an email is valid (docs/behaviour/settings.md#email). */
  email_link: 24 * 3600 * 1000,
  /** Milliseconds until a sign-in at a provider expires, and until a verified callback expires. */
  sign_in: 600_000,
  /** Bytes of a posted callback: enough for a user in several hundred groups. */
  proof: 128 * 1024,
  /**
   * Maximum tags (start and end) and namespaces in it. Parsing XML takes elements times namespaces: 0.3 s for a
   * thousand of each, 13 s for 2,000 and 17,000.
   */
  proof_marks: 2000,
  /** Characters of a status (docs/behaviour/limits.md#lengths). */
  status_text: 60,
  /** Characters of a key in the storage of a bot. It is part of an index, whose entries are bounded. */
  storage_key: 200,
  token_name: 100,
  /**
   * Milliseconds for which an authorization code is valid, an application's token until it is refreshed, and an unused
   * refresh token.
   */
  authorization_code: 60_000,
  application_token: 3_600_000,
  refresh_token: 90 * 24 * 3600 * 1000,
  /** Tokens of one application for one user: the newest are kept. */
  application_tokens: 10,
  /** Bytes of a form that is posted to an OAuth endpoint. */
  oauth_form: 8192,
  group_name: 100,
  group_description: 10_000,
  /** Streams times users in one subscription request. */
  subscriptions: 100_000,
  /** Messages in one response of GET /messages (docs/behaviour/limits.md#windows-and-batches). */
  messages: 5000,
  /** Bytes of earlier versions in one page of messages: a quarter of a response. */
  page_versions: 2 * 1024 * 1024,
  /** Moves of one message, and renames of one page's topics, that a page of messages shows: the newest. */
  page_moves: 50,
  /** Earlier versions of the content that the server keeps of one message. */
  message_versions: 500,
  /** Messages that one transaction of a topic's deletion deletes (docs/behaviour/limits.md#windows-and-batches). */
  deletion_batch: 100,
  /**
   * Milliseconds after which an operation that works in batches ends (docs/behaviour/limits.md#windows-and-batches).
   */
  budget: 50_000,
  /**
   * Messages whose flags one request for a narrow changes; larger numbers in a request are lowered to this
   * (docs/behaviour/limits.md#windows-and-batches).
   */
  flags_narrow: 5000,
  /** Direct conversations in POST /register, those with the newest messages. */
  recent_conversations: 1000,
  /** Drafts in POST /register, the newest (docs/behaviour/limits.md#windows-and-batches). */
  drafts: 1000,
  /** Unread messages in POST /register, the newest (docs/behaviour/limits.md#windows-and-batches). */
  unread: 50_000,
  /**
   * Wildcard mentions that reach at most this many users need no permission
   * (docs/behaviour/messages.md#wildcard-mentions).
   */
  free_wildcard: 15,
  /**
   * The maximum number of subscribers of a stream with typing notifications (docs/behaviour/typing.md#large-streams).
   */
  typing_subscribers: 100,
  /** Characters of an alert word (docs/behaviour/limits.md#lengths). */
  alert_word: 100,
  /** Bytes of an email that becomes a message. Its attachments are dropped. */
  incoming_email: 25 * 1024 * 1024,
  /**
   * Milliseconds after its time within which a scheduled message is still sent
   * (docs/behaviour/scheduled-messages.md#delivery).
   */
  scheduled_lateness: 600_000,
  /** Characters of a linkifier's pattern. It is part of an index, whose entries are bounded. */
  pattern: 500,
  url_template: 1000,
  playground_name: 100,
  /** Characters of a language's name (docs/behaviour/limits.md#lengths). */
  pygments_language: 40,
  profile_field_name: 40,
  /** Custom profile fields that clients show in the profile summary. */
  profile_summary_fields: 2,
  profile_field_hint: 80,
  /** Options of a custom profile field of the list type. */
  profile_options: 200,
  /** Characters of a short text in a profile; also of options, external accounts and pronouns. */
  profile_text: 50,
  profile_long_text: 500,
  /** Users in one field of a profile. */
  profile_users: 100,
});

export const FEATURE_LEVEL = 237;
