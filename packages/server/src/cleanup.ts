export type CleanupStep = () => unknown;

/** Steps that stop what was started, in reverse order. */
export function createCleanup() {
  const steps: CleanupStep[] = [];
  return {
    add: (step: CleanupStep) => void steps.unshift(step),
    /** Runs every step, even after one fails; then fails with the first error. */
    async stop() {
      const errors: unknown[] = [];
      for (const step of steps.splice(0)) {
        try {
          await step();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
    /** Stops what was started if `work` fails. */
    async guard<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work();
      } catch (error) {
        await this.stop();
        throw error;
      }
    },
  };
}
