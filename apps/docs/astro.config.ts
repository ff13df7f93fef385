import { fileURLToPath } from 'node:url';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { BEHAVIOUR_FOLDER, listBehaviourPages } from './src/build/behaviour-pages.ts';
import { checkOutput } from './src/build/check-output.ts';
import { highlightFences } from './src/build/highlight-fences.ts';
import { linkPages } from './src/build/link-pages.ts';
import { writeMarkdownPages } from './src/build/markdown-pages.ts';
import { checkShippedPackages } from './src/build/shipped-packages.ts';
import { wideTables } from './src/build/wide-tables.ts';
import { site } from './src/document.ts';
import { referenceSidebar } from './src/model/sidebar.ts';
import { BASE } from './src/model/urls.ts';

export default defineConfig({
  base: BASE,
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  markdown: { syntaxHighlight: false, rehypePlugins: [highlightFences, linkPages, wideTables] },
  build: { inlineStylesheets: 'never' },
  vite: {
    resolve: {
      alias: { '@parley/client': fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url)) },
    },
    // The server forbids inline scripts and styles, so even the smallest is a file.
    build: { assetsInlineLimit: 0 },
  },
  integrations: [
    starlight({
      title: 'Parley',
      description: 'Team messaging over HTTP: guides and reference.',
      favicon: '/favicon.svg',
      logo: { src: './src/assets/mark.svg', alt: '' },
      customCss: [
        './src/styles/theme.css',
        './src/styles/code.css',
        './src/styles/reference.css',
        './src/styles/console.css',
        './src/styles/inline.css',
      ],
      // Highlighting is ours, so that the console can do the same in the browser; search needs no WebAssembly.
      expressiveCode: false,
      pagefind: false,
      lastUpdated: false,
      markdown: { processedDirs: [BEHAVIOUR_FOLDER] },
      routeMiddleware: './src/route-data.ts',
      components: {
        ThemeProvider: './src/components/ThemeProvider.astro',
        ThemeSelect: './src/components/ThemeSelect.astro',
        Sidebar: './src/components/Sidebar.astro',
        Search: './src/components/Search.astro',
        Head: './src/components/Head.astro',
        Footer: './src/components/Footer.astro',
        MarkdownContent: './src/components/MarkdownContent.astro',
      },
      sidebar: [
        {
          label: 'Start',
          items: [
            { label: 'Overview', link: '/' },
            { label: 'Quickstart', link: '/quickstart/' },
          ],
        },
        {
          label: 'Build a client',
          items: [
            { label: 'Authentication', link: '/guides/authentication/' },
            { label: 'Tokens for applications', link: '/guides/tokens/' },
            { label: 'OAuth applications', link: '/guides/applications/' },
            { label: 'Parameter encoding', link: '/guides/parameters/' },
            { label: 'Errors', link: '/guides/errors/' },
            { label: 'Real-time events', link: '/guides/events/' },
            { label: 'Web pages of other origins (CORS)', link: '/guides/web-pages/' },
            { label: 'The JavaScript client', link: '/guides/sdk/' },
            { label: 'Generated clients', link: '/guides/generated-clients/' },
            { label: 'A bot in Python', link: '/guides/python/' },
            { label: 'Message formatting', link: '/guides/formatting/' },
            { label: 'Files and avatars', link: '/guides/files/' },
            { label: 'Scheduled messages', link: '/guides/scheduled-messages/' },
            { label: 'Typing notifications', link: '/guides/typing/' },
            { label: 'Moving and deleting topics', link: '/guides/moving/' },
            { label: 'Users and roles', link: '/guides/accounts/' },
            { label: 'Versioning and feature levels', link: '/guides/levels/' },
            { label: 'Limits', link: '/guides/limits/' },
          ],
        },
        {
          label: 'Operate a server',
          items: [
            { label: 'Operating a server', link: '/guides/operating/' },
            { label: 'Deploying', link: '/guides/deploying/' },
            { label: 'Fault tolerance', link: '/guides/faults/' },
            { label: 'Single sign-on', link: '/guides/single-sign-on/' },
            { label: 'Benchmarks', link: '/guides/benchmarks/' },
          ],
        },
        {
          label: 'About',
          items: [
            { label: 'All guides', link: '/guides/' },
            { label: 'Glossary', link: '/glossary/' },
            { label: 'Specification coverage', link: '/statements/' },
            { label: 'API changelog', link: '/changelog/' },
          ],
        },
        { label: 'Behaviour', collapsed: true, items: listBehaviourPages() },
        ...referenceSidebar(site),
      ],
    }),
    writeMarkdownPages(),
    checkOutput(),
    checkShippedPackages(),
  ],
});
