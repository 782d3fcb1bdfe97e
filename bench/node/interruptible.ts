/** Runs the work with a signal that Ctrl-C, SIGTERM and SIGHUP abort, so that it can take back what it has changed on the machine. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error('stopped before the end'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}
