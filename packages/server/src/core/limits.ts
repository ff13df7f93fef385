/**
 * Numbers the server tells its clients (`POST /register`) and holds them to. Specification section 8,
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

/** Numbers that protect the server; what exceeds them is refused with a sentence that names them. */
export const bounds = Object.freeze({
  /**
   * Bytes of request bodies, files included, that a process holds at once for requests under way: of all, of one account (two of
   * the largest files and a body of the largest kind), and of one address for requests without credentials. What is guaranteed to
   * each is enough for a message or a login.
   */
  request_bytes: {
    process: 256 * MIB,
    account: (2 * limits.max_file_upload_size_mib + 8) * MIB,
    address: 4 * MIB,
    guaranteed: 128 * 1024,
  },
  /** Bytes of responses that a process holds at once because their clients have not read them. */
  response_bytes: { process: 256 * MIB, account: 64 * MIB, address: 32 * MIB, guaranteed: 0 },
  /** Files that are sent to one account at once: as many pictures as a page may load over one connection. */
  downloads: 32,
  /** Milliseconds for which nothing of a request body need arrive, and nothing of a response need be read by its client. */
  patience: 30_000,
  /** Characters of a file's name. */
  file_name: 100,
  /** Bytes that an organization's files may take up, where the operator does not say. */
  upload_space: 10 * 1024 * 1024 * 1024,
  /** Fields of a form, of a query, and of a JSON body. */
  fields: 1000,
  /** Characters of a header that says what a client prefers, such as `Accept`; browsers send about 150. */
  preference_header: 1000,
  /** Keys, lists and objects in JSON, at all levels: settings of 10,000 subscriptions have 40,000. */
  json_nodes: 50_000,
  /** Values in JSON, at all levels: two and a half times 100,000 message ids. */
  json_values: 250_000,
  /** Keys (`Idempotency-Key`) of an account within 24 hours: 200 requests in each minute. Bytes of the responses kept under them. */
  kept_keys: { keys: 300_000, bytes: 128 * MIB },
  /** Characters of a response that is kept under a key: 100,000 message ids. */
  kept_answer: 2 * MIB,
  /** Names in `ignored_parameters_unsupported`, and characters of each. */
  ignored_names: 100,
  ignored_name: 100,
  /** Lists and objects inside one another. */
  depth: 32,
  /** Words in the search terms of a narrow together, each of which costs an index scan, and users in a term of it. */
  search_words: 50,
  narrow_users: 1_000,
  /** Milliseconds a statement may run. */
  statement: 30_000,
  /** Milliseconds a statement of a request that only reads may run. */
  read_statement: 5_000,
  realm_name: 40,
  realm_description: 1000,
  /** Milliseconds for which the link in a letter is good (docs/behaviour/settings.md#email). */
  email_link: 24 * 3600 * 1000,
  /** Milliseconds until a sign-in at a provider expires, and until a verified callback expires. */
  sign_in: 600_000,
  /** Bytes of a posted callback: enough for a user in several hundred groups. */
  proof: 128 * 1024,
  /**
   * Tags and namespaces in it, begun or ended. Reading XML takes elements times namespaces: 0.3 s for a thousand of each,
   * 13 s for 2,000 and 17,000.
   */
  proof_marks: 2000,
  /** Characters of a status (docs/behaviour/limits.md#lengths). */
  status_text: 60,
  /** Characters of a key in the storage of a bot; it is part of an index, whose entries are bounded. */
  storage_key: 200,
  token_name: 100,
  /** Milliseconds for which a code of an application is valid, its tokens between two renewals, and a refresh token until it is used. */
  authorization_code: 60_000,
  application_token: 3_600_000,
  refresh_token: 90 * 24 * 3600 * 1000,
  /** Tokens that one application has of one user: the newest. */
  application_tokens: 10,
  /** Bytes of a form that is posted to an address of OAuth. */
  oauth_form: 8192,
  group_name: 100,
  group_description: 10_000,
  /** Streams times people in one subscription request. */
  subscriptions: 100_000,
  /** Messages in one answer of GET /messages (docs/behaviour/limits.md#windows-and-batches). */
  messages: 5000,
  /** Bytes of earlier versions in one page of messages: a quarter of a response. */
  page_versions: 2 * 1024 * 1024,
  /** Moves of one message, and renamings of one page's topics, that a page of messages shows: the newest. */
  page_moves: 50,
  /** Earlier versions of the content that the server keeps of one message. */
  message_versions: 500,
  /** Messages that one transaction of a topic's deletion takes (docs/behaviour/limits.md#windows-and-batches). */
  deletion_batch: 100,
  /** Milliseconds that an operation goes on which works in batches (docs/behaviour/limits.md#windows-and-batches). */
  budget: 50_000,
  /**
   * Messages whose flags one request for a narrow changes; more are taken for so many
   * (docs/behaviour/limits.md#windows-and-batches).
   */
  flags_narrow: 5000,
  /** Direct conversations in POST /register, those with the newest messages. */
  recent_conversations: 1000,
  /** Drafts in POST /register, the newest (docs/behaviour/limits.md#windows-and-batches). */
  drafts: 1000,
  /** Unread messages in POST /register, the newest (docs/behaviour/limits.md#windows-and-batches). */
  unread: 50_000,
  /** Wildcard mentions reaching this many people are free of policy (docs/behaviour/messages.md#wildcard-mentions). */
  free_wildcard: 15,
  /** Subscribers of a stream up to which they hear who is typing in it (docs/behaviour/typing.md#large-streams). */
  typing_subscribers: 100,
  /** Characters of an alert word (docs/behaviour/limits.md#lengths). */
  alert_word: 100,
  /** Bytes of a letter that becomes a message; pictures and files that come with it are not kept. */
  letter: 25 * 1024 * 1024,
  /**
   * Milliseconds after its time that a scheduled message is still sent (docs/behaviour/scheduled-messages.md#delivery).
   */
  scheduled_lateness: 600_000,
  /** Characters of a linkifier's pattern; it is part of an index, whose entries are bounded. */
  pattern: 500,
  url_template: 1000,
  playground_name: 100,
  /** Characters of a language's name (docs/behaviour/limits.md#lengths). */
  pygments_language: 40,
  profile_field_name: 40,
  /** Custom profile fields of an organization that clients show in the short version of a profile. */
  profile_summary_fields: 2,
  profile_field_hint: 80,
  /** Options of a custom profile field that is a list. */
  profile_options: 200,
  /** Characters of a short text in a profile; options, accounts elsewhere and pronouns as well. */
  profile_text: 50,
  profile_long_text: 500,
  /** People in one field of a profile. */
  profile_people: 100,
});

export const FEATURE_LEVEL = 237;
