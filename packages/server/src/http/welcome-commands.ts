import type { DemoAccount } from '../features/user-admin/index.ts';

export interface DemoCommand {
  readonly title: string;
  /** Quoted for a POSIX shell. */
  readonly lines: string;
}

/** The first three commands to try, which work in any order. */
export function listDemoCommands(url: string, users: readonly DemoAccount[]): DemoCommand[] {
  const [sender, reader] = [findUser(users, 'Hamlet'), findUser(users, 'Cordelia')];
  if (!sender || !reader) return [];
  const as = (user: DemoAccount) => `curl -s -u ${user.email}:${user.api_key} \\\n `;
  return [
    {
      title: `Send a message, as ${sender.name}`,
      lines: `${as(sender)} ${url}/api/v1/messages \\
  -d type=stream -d to=general -d topic=lunch \\
  --data-urlencode 'content=Soup of the day: **pea**.'`,
    },
    {
      title: `Read the newest messages, as ${reader.name}`,
      lines: `${as(reader)} -G ${url}/api/v1/messages \\
  -d anchor=newest -d num_before=10 -d num_after=0`,
    },
    {
      title: `Wait for the next message, as ${reader.name}`,
      lines: `state=$(${as(reader)} ${url}/api/v1/register -d 'event_types=["message"]')
queue=$(printf %s "$state" | sed 's/.*"queue_id":"\\([^"]*\\)".*/\\1/')
last=$(printf %s "$state" | sed 's/.*"last_event_id":\\([0-9]*\\).*/\\1/')
${as(reader)} -G ${url}/api/v1/events -d "queue_id=$queue" -d "last_event_id=$last"`,
    },
  ];
}

const findUser = (users: readonly DemoAccount[], name: string) => users.find((user) => user.name === name);
