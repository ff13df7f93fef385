export interface BatchLimits {
  /** Milliseconds that a task waits for others at most. */
  readonly wait: number;
  /** The number of tasks that wait at most. */
  readonly size: number;
}

/** Returns a function that collects tasks and runs them one after another, without a pause. */
export function createBatch({ wait, size }: BatchLimits): (task: () => void) => void {
  let tasks: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    clearTimeout(timer);
    timer = undefined;
    const now = tasks;
    tasks = [];
    for (const task of now) task();
  };
  return (task) => {
    tasks.push(task);
    if (tasks.length === size) run();
    else timer ??= setTimeout(run, wait);
  };
}
