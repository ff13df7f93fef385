export type CleanupStep = () => unknown;

/** What was started, to be stopped in reverse. */
export function createCleanup() {
  const steps: CleanupStep[] = [];
  return {
    add: (step: CleanupStep) => void steps.unshift(step),
    async stop() {
      for (const step of steps.splice(0)) await step();
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
