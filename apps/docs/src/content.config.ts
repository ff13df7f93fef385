import { defineCollection } from 'astro:content';
import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
import { glob, type Loader } from 'astro/loaders';
import { BEHAVIOUR_FOLDER, toPageId } from './build/behaviour-pages.ts';

const pages = docsLoader();
const behaviour = glob({ base: BEHAVIOUR_FOLDER, pattern: '*.md', generateId: ({ entry }) => toPageId(entry) });

/** The pages of this site, and the behaviour reference of the repository. */
const loader: Loader = {
  name: 'parley-docs-loader',
  async load(context) {
    await pages.load(context);
    // Each loader deletes the entries that it did not find, so the second one must not know those of the first.
    const keys = () => context.store.keys().filter((id) => id.startsWith(toPageId('index.md')));
    await behaviour.load({ ...context, store: { ...context.store, keys } });
  },
};

export const collections = { docs: defineCollection({ loader, schema: docsSchema() }) };
