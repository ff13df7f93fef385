// Who may import whom. ARCHITECTURE.md gives the reasons.
const FEATURE = '^packages/server/src/features/([^/]+)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'features-meet-at-the-front-door',
      comment: 'Import another feature through its index.ts.',
      severity: 'error',
      from: { path: FEATURE },
      to: { path: FEATURE, pathNot: ['^packages/server/src/features/$1/', '/index\\.ts$'] },
    },
    {
      name: 'everyone-knocks',
      comment: 'Outside features/, only handlers.ts may look past a front door, and only at handlers.',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: ['^packages/server/src/features/'] },
      to: { path: FEATURE, pathNot: ['/index\\.ts$', '/handlers\\.ts$'] },
    },
    {
      name: 'sql-lives-in-queries',
      severity: 'error',
      from: {
        path: '^packages/server/src',
        pathNot: ['/queries\\.ts$', '/queries/', '-sql\\.ts$', '/core/transaction\\.ts$', '\\.test\\.ts$'],
      },
      to: { path: 'node_modules/drizzle-orm', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'express-stays-in-http',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: '^packages/server/src/http/' },
      to: { path: 'node_modules/(@types/)?express', dependencyTypesNot: ['type-only'] },
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
          '/features/[^/]+/index\\.ts$',
        ],
      },
    },
    {
      name: 'text-is-pure',
      severity: 'error',
      from: { path: '^packages/server/src/text/' },
      to: { path: '^packages/(server/src/(?!text/)|db)' },
    },
    {
      name: 'core-knows-no-feature',
      severity: 'error',
      from: { path: '^packages/server/src/core' },
      to: { path: '^packages/server/src/(features|http|workers|cli)' },
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
      name: 'the-server-does-not-call-itself',
      comment: 'Only tests speak through the client.',
      severity: 'error',
      from: { path: '^packages/server/src', pathNot: '\\.test\\.ts$' },
      to: { path: '^packages/client' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: '(\\.test\\.ts|/dist/)',
  },
};
