import type { TestProject } from 'vitest/node';
import { prepareEmbedded } from './database.ts';

export default function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  return prepareEmbedded(provide);
}
