// Tests with a real browser.
import { existsSync } from 'node:fs';
import { describe } from 'vitest';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Tests with Chromium. A machine without it lists them as not run. */
export function inChromium(title: string, suite: (executablePath: string) => void): void {
  describe.runIf(CHROMIUM !== undefined)(`${title} (needs chromium)`, () => suite(CHROMIUM ?? ''));
}
