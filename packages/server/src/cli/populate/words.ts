// Names and phrases of the generated users and messages.
import type { Random } from './random.ts';

const firstNames = [
  'Ada',
  'Amir',
  'Beatriz',
  'Bo',
  'Chidi',
  'Chloe',
  'Daichi',
  'Dana',
  'Elif',
  'Emil',
  'Fatima',
  'Finn',
  'Grace',
  'Goran',
  'Hana',
  'Hugo',
  'Ines',
  'Ivan',
  'Jana',
  'Jun',
  'Kai',
  'Kira',
  'Lea',
  'Luca',
  'Mara',
  'Mateo',
  'Nadia',
  'Noor',
  'Olga',
  'Omar',
  'Pia',
  'Priya',
  'Quinn',
  'Rosa',
  'Ravi',
  'Sara',
  'Sven',
  'Tara',
  'Timo',
  'Uma',
  'Vera',
  'Wei',
  'Xenia',
  'Yara',
  'Yusuf',
  'Zoe',
];
const family = [
  'Almeida',
  'Bauer',
  'Chen',
  'Dubois',
  'Eriksen',
  'Farouk',
  'Garcia',
  'Haddad',
  'Ito',
  'Jansen',
  'Kowalski',
  'Lindgren',
  'Mbeki',
  'Novak',
  'Okafor',
  'Petrov',
  'Quispe',
  'Rossi',
  'Singh',
  'Tanaka',
  'Usman',
  'Virtanen',
  'Weber',
  'Xu',
  'Yilmaz',
  'Zhang',
];
const areas = [
  'backend',
  'billing',
  'design',
  'docs',
  'events',
  'frontend',
  'growth',
  'hiring',
  'infra',
  'kitchen',
  'mobile',
  'office',
  'onboarding',
  'platform',
  'product',
  'release',
  'research',
  'sales',
  'search',
  'security',
  'support',
  'testing',
  'travel',
  'website',
];
const activities = [
  'broken',
  'faster',
  'cleanup of',
  'ideas for',
  'plan for',
  'question about',
  'notes on',
  'next steps for',
  'trouble with',
  'review of',
  'retro of',
  'tests for',
];
const things = [
  'the build',
  'login',
  'the importer',
  'weekly sync',
  'pagination',
  'the API',
  'dark mode',
  'the cache',
  'database upgrade',
  'translations',
  'notifications',
  'the roadmap',
  'rate limits',
  'onboarding mail',
  'the demo',
  'invoices',
  'error pages',
  'the offsite',
];
const openings = [
  'I think',
  'Looks like',
  'Turns out',
  'As far as I can see,',
  'Good news:',
  'Quick question:',
  'For the record,',
  'It seems',
  'Just noticed that',
  'We agreed that',
  'Not sure, but',
  'Heads up:',
];
const subjects = [
  'the nightly job',
  'the new layout',
  'our staging server',
  'the second migration',
  'that flaky test',
  'the customer from yesterday',
  'the release branch',
  'the search index',
  'the settings page',
  'the queue',
  'this approach',
  'the design draft',
];
const verbs = [
  'needs',
  'breaks without',
  'is blocked by',
  'works better with',
  'has nothing to do with',
  'should wait for',
  'is ready for',
  'was slower than',
  'depends on',
  'looks fine after',
];
const endings = [
  'a restart.',
  'the latest fix.',
  'another pair of eyes.',
  'more memory.',
  'what we had before.',
  'the review.',
  'a decision on Monday.',
  'some sleep.',
  'better names.',
  'the numbers from last week.',
  'less magic.',
  'a short call?',
];

const sentence = (random: Random) =>
  `${random.pick(openings)} ${random.pick(subjects)} ${random.pick(verbs)} ${random.pick(endings)}`;

export const fullName = (random: Random): string => `${random.pick(firstNames)} ${random.pick(family)}`;

export const streamName = (random: Random): string => random.pick(areas);

export const topicName = (random: Random): string => `${random.pick(activities)} ${random.pick(things)}`;

/** Mostly plain sentences; sometimes emphasis, code, a list or a link. */
export function messageText(random: Random): string {
  const text = Array.from({ length: 1 + random.below(3) }, () => sentence(random)).join(' ');
  switch (random.below(12)) {
    case 0:
      return `**${random.pick(openings)}** ${text}`;
    case 1:
      return `${text}\n\n\`\`\`\nnpm run check -- --step ${random.below(40)}\n\`\`\``;
    case 2:
      return `${text}\n\n* ${sentence(random)}\n* ${sentence(random)}`;
    case 3:
      return `${text} See https://example.com/notes/${random.below(10_000)}`;
    case 4:
      return 'ok';
    default:
      return text;
  }
}
