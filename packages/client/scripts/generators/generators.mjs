// The generators that are tried, at the versions that were. They are installed into temporary folders and belong to no package.json.
export const generators = [
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'],
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'generated'],
  },
  {
    name: 'orval',
    packages: ['orval@8.38.0'],
    command: ['orval', '--config', 'orval.config.mjs'],
    files: (url) => ({
      'orval.config.mjs': `export default { parley: {
        input: 'openapi.json',
        output: { target: 'generated/api.ts', client: 'fetch', baseUrl: '${url}/api/v1' },
      } };`,
    }),
  },
  {
    name: 'oazapfts',
    packages: ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0'],
    command: ['oazapfts', 'openapi.json', 'generated/api.ts'],
  },
  {
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api@13.13.0'],
    // Else it makes enums of TypeScript, which take no strings.
    command: [
      ...['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'generated', '-n', 'api.ts'],
      '--generate-union-enums',
    ],
  },
  {
    name: 'typed-openapi',
    packages: ['typed-openapi@2.2.7'],
    command: ['typed-openapi', 'openapi.json', '-o', 'generated/api.ts'],
  },
  {
    name: 'openapi-typescript',
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
    // Else what has a default must be sent.
    command: ['openapi-typescript', 'openapi.json', '-o', 'generated/schema.d.ts', '--default-non-nullable=false'],
  },
  {
    name: 'kubb',
    packages: [
      ...['@kubb/cli@4.39.3', '@kubb/core@4.39.3', '@kubb/plugin-oas@4.39.3', '@kubb/plugin-ts@4.39.3'],
      '@kubb/plugin-client@4.39.3',
    ],
    command: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
    files: (url) => ({
      'kubb.config.mjs': `import { defineConfig } from '@kubb/core';
        import { pluginClient } from '@kubb/plugin-client';
        import { pluginOas } from '@kubb/plugin-oas';
        import { pluginTs } from '@kubb/plugin-ts';
        export default defineConfig({
          input: { path: 'openapi.json' },
          output: { path: 'generated', format: false, lint: false },
          plugins: [
            pluginOas({ generators: [] }),
            pluginTs({ enumType: 'literal' }),
            pluginClient({ client: 'fetch', baseURL: '${url}/api/v1' }),
          ],
        });`,
    }),
  },
];
