// The import rules. ARCHITECTURE.md gives the reasons.
const FEATURE = '^packages/server/src/features/([^/]+)/';

/** Features in six layers, in an order: each imports only those before it. */
const LAYERS = {
  organization: [
    ...[
      'realm',
      'mail',
      'idempotency-keys',
      'auth',
      'server-settings',
      'uploads',
      'emoji',
      'linkifiers',
      'playgrounds',
    ],
  ],
  users: [
    ...['users', 'user-groups', 'bots', 'avatars', 'presence', 'profile-fields', 'alert-words', 'muted-users'],
    ...['user-settings', 'status', 'guest-visibility', 'realm-admin'],
  ],
  conversations: ['streams', 'topics', 'flags', 'event-log', 'events'],
  messages: [
    ...['messages', 'message-edits', 'narrows', 'message-deletion', 'retention', 'reactions', 'typing', 'drafts'],
    ...['scheduled-messages', 'incoming-mail'],
  ],
  membership: ['subscriptions', 'stream-admin', 'user-group-admin', 'user-admin', 'bot-admin'],
  sessions: ['settings', 'sign-in', 'tokens', 'applications', 'registration'],
};
const ORDER = Object.values(LAYERS).flat();
const inFeatures = (names) => `^packages/server/src/features/(${names.join('|')})/`;

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'imports-resolve',
      comment: 'A rule cannot see where an unresolved import leads. Run `npm run build` first.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^astro:' },
    },
    {
      name: 'features-use-index-files',
      comment: 'Import another feature through its index.ts.',
      severity: 'error',
      from: { path: FEATURE },
      to: { path: FEATURE, pathNot: ['^packages/server/src/features/$1/', '/index\\.ts$'] },
    },
    ...ORDER.slice(0, -1).map((feature, n) => ({
      name: 'features-import-downwards',
      comment: 'A feature imports only those before it in LAYERS.',
      severity: 'error',
      from: { path: inFeatures([feature]) },
      to: { path: inFeatures(ORDER.slice(n + 1)) },
    })),
    {
      name: 'every-feature-has-a-layer',
      comment: 'List it in LAYERS.',
      severity: 'error',
      from: { path: FEATURE, pathNot: inFeatures(ORDER) },
      to: {},
    },
    {
      name: 'others-use-index-files',
      comment: 'Outside features/, only handlers.ts can import another file of a feature, its handlers.ts.',
      severity: 'error',
      from: { path: '^(packages/server/src|apps|bench|examples)/', pathNot: ['^packages/server/src/features/'] },
      to: { path: FEATURE, pathNot: ['/index\\.ts$', '/handlers\\.ts$'] },
    },
    {
      name: 'sql-lives-in-queries',
      severity: 'error',
      from: {
        path: '^packages/server/src',
        pathNot: ['/queries\\.ts$', '/queries/', '-sql\\.ts$', '\\.test\\.ts$'],
      },
      to: {
        path: ['node_modules/drizzle-orm', '^packages/db/dist/sql\\.(d\\.ts|js)$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'express-stays-in-http',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: '^packages/server/src/http/' },
      to: { path: 'node_modules/(@types/)?express', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-folder-validates',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: '^packages/server/src/http/validator/' },
      to: { path: 'node_modules/(ajv|ajv-formats|express-openapi-validator)/' },
    },
    {
      name: 'validators-are-compiled-at-build-time',
      comment: 'The compiler of validators needs packages that an installed server does not have.',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: '^packages/server/src/http/validator/compile/' },
      to: { path: '^packages/server/src/http/validator/compile/' },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      from: { path: '/rules(\\.ts$|/)', pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypesNot: ['type-only'],
        pathNot: [
          '/rules(\\.ts$|/)',
          '/generated/',
          '^packages/server/src/text/',
          '/core/limits\\.ts$',
          '/core/lazy\\.ts$',
          '/core/require-value\\.ts$',
          '/core/response-size\\.ts$',
          '^packages/server/src/access/roles\\.ts$',
          // Compares texts, and does nothing else.
          '^node_modules/diff/',
          '/features/[^/]+/index\\.ts$',
        ],
      },
    },
    {
      name: 'text-is-pure',
      severity: 'error',
      from: { path: '^packages/server/src/text/' },
      to: { path: '^packages/(server/src/(?!text/|core/lazy\\.ts)|db)' },
    },
    {
      name: 'core-knows-no-feature',
      severity: 'error',
      from: { path: '^packages/server/src/core' },
      to: { path: '^packages/server/src/(features|http|workers|cli)' },
    },
    {
      name: 'few-see-the-whole-server',
      comment: 'A feature names what it uses of the running server: see core/server.ts.',
      severity: 'error',
      from: { path: '^packages/server/src/(access|core|features|identity|mail|pictures|secrets|text)/' },
      to: { path: '^packages/server/src/app\\.ts$' },
    },
    {
      name: 'access-depends-on-nothing',
      comment: 'A reviewer reads who has access to what in one folder, and finds all of it there.',
      severity: 'error',
      from: { path: '^packages/server/src/access/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: ['^packages/server/src/access/', 'node_modules/drizzle-orm', '^packages/db/dist/sql\\.(d\\.ts|js)$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-client-stands-alone',
      severity: 'error',
      from: { path: '^packages/client/src', pathNot: '^packages/client/src/node/' },
      to: { pathNot: ['^packages/client/src/(?!node/)', 'node_modules/openapi-fetch'] },
    },
    {
      name: 'the-client-needs-node-in-one-place',
      severity: 'error',
      from: { path: '^packages/client/src/node/' },
      to: { pathNot: ['^packages/client/src/', '^(node:)?(fs|os|path|process)$'] },
    },
    {
      name: 'the-document-reader-stands-alone',
      comment: 'Pages use it in the browser, where neither Node nor a package is.',
      severity: 'error',
      from: { path: '^openapi/src/document/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^openapi/src/document/' },
    },
    {
      name: 'the-server-does-not-call-itself',
      comment: 'Only tests speak through the client.',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/client' },
    },
    {
      name: 'sources-do-not-import-tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/[^/]+/test/' },
    },
    {
      name: 'nothing-imports-bench-or-examples',
      severity: 'error',
      from: { pathNot: '^(bench|examples)/' },
      to: { path: '^(bench|examples)/' },
    },
    {
      name: 'examples-use-the-client-only',
      comment: 'An example must work for a reader who has the packages and not this repository.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { pathNot: '^packages/client/dist/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'docs-import-what-they-show',
      comment: 'Pages show what other folders generate or publish, and import neither sources of the server nor tests.',
      severity: 'error',
      from: { path: '^apps/docs/', pathNot: '^apps/docs/test/' },
      to: {
        path: '^(packages|openapi|bench|docs|examples|scripts)/',
        pathNot: [
          '^openapi/generated/openapi\\.json$',
          '^docs/glossary\\.md$',
          '^docs/generated/statements\\.json$',
          '^openapi/dist/document/',
          '^packages/client/dist/',
          '^packages/server/generated/reference-tables\\.json$',
        ],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
    doNotFollow: { path: '(node_modules|/dist/)' },
    // The programs import clients that are generated in temporary folders.
    exclude: '(\\.test\\.ts$|/\\.astro/|^packages/client/scripts/generators/programs/)',
  },
};
