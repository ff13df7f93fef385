import type { Site } from './site.ts';
import { BASE, REFERENCE_URL } from './urls.ts';

/** A section of the home page, with links for one kind of reader. */
export interface ReaderGroup {
  title: string;
  text: string;
  links: { label: string; url: string }[];
}

export const listReaderGroups = ({ operations, events, errors }: Site): ReaderGroup[] => [
  {
    title: 'You run a server',
    text: 'Start it with one command, configure a database and a domain, create organizations, and monitor it.',
    links: [
      { label: 'Operating a server', url: `${BASE}/guides/operating/` },
      { label: 'Quickstart', url: `${BASE}/quickstart/` },
    ],
  },
  {
    title: 'You write a client',
    text: 'Log in, send a message, and receive events in real time, with the JavaScript client or with plain HTTP.',
    links: [
      { label: 'Quickstart', url: `${BASE}/quickstart/` },
      { label: 'Real-time events', url: `${BASE}/guides/events/` },
      { label: 'Parameter encoding', url: `${BASE}/guides/parameters/` },
    ],
  },
  {
    title: 'You look something up',
    text: `${operations.length} operations, ${events.length} types of events and ${errors.length} error codes, each on its own page. Each page of an operation has a console that sends requests.`,
    links: [
      { label: 'Reference', url: REFERENCE_URL },
      { label: 'Behaviour reference', url: `${BASE}/behaviour/` },
      { label: 'Permissions', url: `${BASE}/reference/permissions/` },
      { label: 'Errors', url: `${BASE}/guides/errors/` },
    ],
  },
];
