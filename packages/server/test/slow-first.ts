import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take ten seconds or more. As the last of a run, one of these would keep one core busy while the other is
 * idle.
 */
const slow = [
  'packages/db/test/silent-server.test.ts',
  'packages/db/test/processes/{data-directory,embedded-thread,lock}.test.ts',
  'packages/server/test/{contract,fuzz,model,rows-read}.test.ts',
  'packages/server/test/processes/{cli,cli-beside-server,deliver-mail,operator,secrets,sigterm,stop,token-commands,two-servers,welcome}.test.ts',
  'packages/server/test/docs/{console,pages}.test.ts',
  'packages/server/test/sdk/stream.test.ts',
  'packages/server/src/features/events/{event-stream,event-stream-limits}.test.ts',
  'packages/server/src/features/message-edits/{move-access,move-large-races,move-new-members,move-races}.test.ts',
  'packages/server/src/features/retention/{delete-expired,retention}.test.ts',
];
const names = new Set(slow.flatMap(expandBraces));

function expandBraces(pattern: string): string[] {
  const [, before = pattern, list, after = ''] = /^(.*){(.*)}(.*)$/.exec(pattern) ?? [];
  return list === undefined ? [pattern] : list.split(',').map((name) => before + name + after);
}

/** Runs the slow files first. Vitest knows how long a file takes only where it has run before. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = `${this.ctx.config.root}/`;
    const isSlow = ({ moduleId }: TestSpecification) => names.has(moduleId.replace(root, ''));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
