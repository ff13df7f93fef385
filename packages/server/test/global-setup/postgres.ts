import type { TestProject } from 'vitest/node';
import { preparePostgres } from './database.ts';

export default function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  return preparePostgres(process.env.DATABASE_URL ?? '', provide);
}
