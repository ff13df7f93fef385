// The users of a test for whom the mirror law is checked. Two full registrations for each are a third of the cost of
// the suite, so it is one user of each role: in every other test the first one, who mostly acts, and else the second
// one, who mostly receives. The long tests check all.
import type { MirrorListener } from './mirror.ts';

const all = process.env.PARLEY_TEST_LONG !== undefined;

export interface MirroredUsers {
  /** Whether a new user of this role keeps their state. */
  includes(role: number): boolean;
  /** Registers the listener of a user who does; it replaces an earlier one of the same role. */
  add(role: number, listener: MirrorListener): void;
  /** Begins the next test. */
  reset(): void;
}

export function createMirroredUsers(): MirroredUsers {
  const chosen = new Map<number, MirrorListener[]>();
  let tests = 0;
  return {
    includes: (role) => all || (chosen.get(role)?.length ?? 0) <= tests % 2,
    add(role, listener) {
      const earlier = chosen.get(role) ?? [];
      if (!all) for (const one of earlier) one.dropState();
      chosen.set(role, [...earlier, listener]);
    },
    reset() {
      chosen.clear();
      tests++;
    },
  };
}
