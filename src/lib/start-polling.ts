// Repeats a task at an interval, never twice at once.

interface PollingOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** Returns a function that stops the repetition and waits for the task that runs. */
export function startPolling(
  task: () => Promise<void>,
  { everyMs, onError }: PollingOptions,
): () => Promise<void> {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= task()
      .catch(onError)
      .finally(() => {
        running = null;
      });
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
