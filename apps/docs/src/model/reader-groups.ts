import type { Site } from './site.ts';
import { BASE, REFERENCE_URL } from './urls.ts';

/** A way in from the first page, for one kind of reader. */
export interface ReaderGroup {
  title: string;
  text: string;
  links: { label: string; url: string }[];
}

export const listReaderGroups = ({ operations, events, errors }: Site): ReaderGroup[] => [
  {
    title: 'You run a server',
    text: 'Start it with one command, give it a database and a domain, make organizations, and keep watch over it.',
    links: [
      { label: 'Operating a server', url: `${BASE}/guides/operating/` },
      { label: 'Quickstart', url: `${BASE}/quickstart/` },
    ],
  },
  {
    title: 'You write a client',
    text: 'Log in, send a message, and follow what happens as it happens, with the JavaScript client or with plain HTTP.',
    links: [
      { label: 'Quickstart', url: `${BASE}/quickstart/` },
      { label: 'Real-time events', url: `${BASE}/guides/events/` },
      { label: 'Parameter encoding', url: `${BASE}/guides/parameters/` },
    ],
  },
  {
    title: 'You want to look it up',
    text: `${operations.length} operations, ${events.length} types of events and ${errors.length} error codes, each on a page of its own. Operations can be tried where they are described.`,
    links: [
      { label: 'Reference', url: REFERENCE_URL },
      { label: 'Behaviour reference', url: `${BASE}/behaviour/` },
      { label: 'Permissions', url: `${BASE}/reference/who-may/` },
      { label: 'Errors', url: `${BASE}/guides/errors/` },
    ],
  },
];
