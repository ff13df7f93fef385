// The collection that Postman makes of the document of a running server, with the converter that its import uses: every request of
// it is sent as it was made, after what a user of Postman does: type an account's email and API key, and choose files.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDevServer } from '../dev-server.mjs';

/** A PNG file with one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Requests that end what others need, in the order in which they are sent after all others. */
const LAST = ['Archive a stream', 'Deactivate a user', 'Deactivate your own account', 'Regenerate your API key'];
/** Requests that must succeed, and not only be valid: those of the first steps. */
const FIRST_STEPS = [
  ...[
    'Fetch an API key',
    'Get your own user',
    'List streams',
    'Subscribe to streams',
    'Send a message',
    'Send a message',
  ],
  ...[
    'Fetch messages',
    'Update personal message flags',
    'Upload a file',
    'Register an event queue',
    'Say that you are typing',
  ],
];
/** Errors that say that the request is valid, and that this account or organization has no such thing, or may not have it. */
const EXPECTED = /^(200 success|40[04] BAD_REQUEST (not_found|forbidden|conflict)|400 (?!BAD_REQUEST)\w+)/;
const REPEATED = /another request was sent under this key/;
/** These need the ids of all objects, which no example can know. */
const NEEDS_ALL_IDS = ['Reorder the custom profile fields', 'Reorder linkifiers'];

export async function checkCollection(folder) {
  const server = await startDevServer(folder);
  try {
    writeFileSync(join(folder, 'served.json'), await (await fetch(`${server.url}/openapi.json`)).text());
    convert(folder);
    const { users } = await (await fetch(`${server.url}/docs/demo.json`)).json();
    const outcomes = run(
      folder,
      users.find(({ role }) => role === 'owner'),
    );
    return {
      name: 'Postman',
      done: `${outcomes.length} requests sent`,
      problems: [...outcomes.flatMap(listProblems), ...listMissingSteps(outcomes)],
    };
  } finally {
    await server.stop();
  }
}

const tool = (folder, name) => join(folder, 'node_modules/.bin', name);

function convert(folder) {
  const words = ['-s', 'served.json', '-o', 'made.json', '-O', 'folderStrategy=Tags,parametersResolution=Example'];
  const { status, stdout, stderr } = spawnSync(tool(folder, 'openapi2postmanv2'), words, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Postman's converter: ${stdout}${stderr}`);
}

/** Sends all requests, and returns the name and the outcome of each. */
function run(folder, { email, api_key }) {
  const made = JSON.parse(readFileSync(join(folder, 'made.json'), 'utf8'));
  const requests = listRequests(made);
  writeFileSync(join(folder, 'picture.png'), Buffer.from(PICTURE, 'base64'));
  for (const { request } of requests)
    for (const field of request.body?.formdata ?? [])
      if (field.type === 'file') field.src = join(folder, 'picture.png');
  const variable = [
    ...made.variable,
    { key: 'basicAuthUsername', value: email },
    { key: 'basicAuthPassword', value: api_key },
  ];
  const first = FIRST_STEPS.map((step) => requests.find(({ name }) => name === step)).filter(Boolean);
  const item = [...first, ...requests.filter(({ name }) => !FIRST_STEPS.includes(name))].sort(
    (one, other) => LAST.indexOf(one.name) - LAST.indexOf(other.name),
  );
  writeFileSync(join(folder, 'collection.json'), JSON.stringify({ ...made, variable, item }));
  const report = join(folder, 'report.json');
  const words = ['run', 'collection.json', '--reporters', 'json', '--reporter-json-export', report];
  spawnSync(tool(folder, 'newman'), words, { cwd: folder, stdio: 'ignore' });
  return JSON.parse(readFileSync(report, 'utf8')).run.executions.map(toOutcome);
}

const listRequests = ({ item }) => item.flatMap((one) => (one.item ? listRequests(one) : [one]));

function toOutcome({ item, response }) {
  const body = response ? JSON.parse(Buffer.from(response.stream.data).toString()) : {};
  const outcome = response
    ? [response.code, body.code ?? body.result, body.reason].filter(Boolean).join(' ')
    : 'no response';
  return { name: item.name, outcome, msg: body.msg ?? '' };
}

const listProblems = ({ name, outcome, msg }) =>
  (EXPECTED.test(outcome) && !REPEATED.test(msg)) || NEEDS_ALL_IDS.includes(name)
    ? []
    : [`${name}: ${outcome}: ${msg}`];

const listMissingSteps = (outcomes) =>
  FIRST_STEPS.flatMap((step, n) =>
    outcomes[n]?.name === step && outcomes[n].outcome === '200 success'
      ? []
      : [`${step}, as step ${n + 1}: ${outcomes[n]?.name}, ${outcomes[n]?.outcome}: ${outcomes[n]?.msg}`],
  );
