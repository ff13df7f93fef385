export type CleanupStep = () => unknown;

/** What was started, to be stopped in reverse. */
export function createCleanup() {
  const steps: CleanupStep[] = [];
  return {
    add: (step: CleanupStep) => void steps.unshift(step),
    /** Does every step, also after one that fails; then fails with the first error. */
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
    /** Stops what there is if `work` fails. */
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
