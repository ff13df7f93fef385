// The words that the house does not use, and those to use instead (docs/glossary.md).

/** By retired word, the words to use instead. A name is split into words for the comparison. */
export const RETIRED_NAMES: Readonly<Record<string, string>> = {
  asides: 'metadata',
  breathe: 'throttle',
  bystander: 'background load',
  bystanders: 'background load',
  errand: 'probe',
  errands: 'probes',
  happening: 'reproduction',
  happenings: 'reproductions',
  hears: 'take events',
  house: 'fixture, organization',
  insist: 'retry',
  lab: 'harness',
  refusal: 'error, error response',
  refusals: 'errors, error responses',
  refuse: 'fail, reject',
  refused: 'failed, rejected',
  refusing: 'failing, rejecting',
  scene: 'fixture, setup',
  scenes: 'fixtures, setups',
  sight: 'visibility',
  standings: 'cursors, states',
  tell: 'emit, publish, notify',
  telling: 'emitting, reporting',
  tells: 'emits',
  twin: 'Markdown page',
  twins: 'Markdown pages',
};

/** The same, for the names of the document's components only. */
export const RETIRED_COMPONENTS: Readonly<Record<string, string>> = {
  broken: 'InternalServerError',
  misaddressed: 'UnknownOrganizationOrPath',
  nowhere: 'UnknownOrganization',
};

/** Words that descriptions of the document must not contain: they do not name the actor. */
export const RETIRED_PROSE: Readonly<Record<string, string>> = {
  whoever: 'the user who, users who, the client that',
  somebody: 'a user',
  anybody: 'all users, any user',
  everybody: 'all users',
  anyone: 'a user, any user',
  people: 'users, members, humans',
  refused: 'rejected, failed',
  tells: 'says, emits, reports',
  told: 'notified, informed; receives',
  someone: 'a user',
  errand: 'probe',
  errands: 'probes',
  hear: 'receive, get',
  heard: 'received, got',
  hears: 'receives, gets',
  refusal: 'error, error response',
  refusals: 'errors, error responses',
  sight: 'visibility',
  'who may': 'who can',
};

/** Texts that operators and users of the server read must not contain these words either. */
export const RETIRED_TEXT: Readonly<Record<string, string>> = {
  ...RETIRED_PROSE,
  answer: 'response, respond',
  answered: 'responded, completed',
  answers: 'responds, returns, accepts connections',
  nobody: 'no user',
  person: 'user',
};

/** The same, for texts about mail: elsewhere a letter is a character. */
export const RETIRED_MAIL_TEXT: Readonly<Record<string, string>> = {
  ...RETIRED_TEXT,
  letter: 'email',
};

/**
 * Idioms that readers of the documentation, of the command line and of the libraries had to translate. A space stands for
 * any white space.
 */
export const RETIRED_IDIOMS: Readonly<Record<string, string>> = {
  ...RETIRED_TEXT,
  'asks itself': 'decides',
  'be content': 'accept it',
  'bars held': 'thresholds were met',
  'came of': 'was the outcome of',
  'comes about': 'is reproduced',
  'comes of': 'is the outcome of',
  'front door': 'index.ts',
  'front doors': 'index.ts files',
  'goes on where it was': 'continues',
  'in work': 'in progress',
  doors: 'reader groups, addresses',
  'let other applications in': 'OAuth applications',
  refusing: 'failing, rejecting',
  refuse: 'reject, fail',
  refuses: 'rejects, fails',
  scene: 'setup',
  scenes: 'setups',
  'set the scene': 'run the setup',
  'somebody else': 'another user',
  'tests hold': 'tests verify',
  'takes away': 'deletes, removes',
  'takes something away': 'deletes or removes something',
  twin: 'Markdown page',
  twins: 'Markdown pages',
  'what came': 'the outcome, the changes',
  'at a glance': 'in a table',
};

/** Whole names of values that do not say what the value is. */
export const IDIOMS: Readonly<Record<string, string>> = {
  letter: 'email',
  letters: 'emails, notices',
  shown: 'a noun',
  written: 'a noun',
};

/** Words that no name in a program cleaned of them has, whether the name is exported or not. */
export const RETIRED_LOCALS: Readonly<Record<string, string>> = {
  ...RETIRED_NAMES,
  answer: 'response',
  answered: 'response',
  answers: 'responses',
  anybody: 'user',
  ask: 'request, fetch, call',
  asked: 'request, requested',
  asking: 'position, request',
  asks: 'requests',
  displaced: 'relocated, moved',
  doings: 'activities',
  doomed: 'a noun',
  door: 'control server, address',
  everybody: 'users',
  gate: 'check',
  given: 'params, options, args, requested',
  gone: 'deleted, removed',
  hear: 'handle, receive',
  heard: 'received',
  keepers: 'individual readers',
  kept: 'stored, cached, retained, flagged',
  lawful: 'allowed, permitted',
  losers: 'users who lost access',
  mine: 'own, current',
  nobody: 'no user',
  nobodys: 'no user',
  news: 'changes, events, message',
  patience: 'timeout',
  people: 'users, accounts',
  peoples: 'users, accounts',
  person: 'user, account',
  place: 'position, location, conversation, slot',
  places: 'positions, locations, conversations, slots',
  shelf: 'cache, snapshots',
  shelves: 'caches, snapshots',
  somebody: 'user',
  somebodys: 'user',
  sorry: 'error page',
  strangers: 'users, and what they cannot see',
  standing: 'state, facts',
  told: 'emitted, notified',
  unwanted: 'a noun',
  wanted: 'requested, required, selected',
  whoever: 'user',
};
