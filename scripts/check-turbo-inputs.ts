// Fails when turbo.json names inputs that do not exist, or lacks inputs that a task reads.
import { fileURLToPath } from 'node:url';
import { report } from './report.ts';
import { emptyPatterns, readRepository, unlistedFiles } from './turbo-inputs.ts';

const repository = readRepository(fileURLToPath(new URL('../', import.meta.url)));
report('Inputs in turbo.json', [...emptyPatterns(repository), ...unlistedFiles(repository)]);
