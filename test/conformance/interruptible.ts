/**
 * Runs the work with a signal that Ctrl-C, SIGTERM and SIGHUP abort, and waits for its end. `because` is the reason of the signal.
 */
export async function interruptible<T>(
  say: (line: string) => void,
  work: (signal: AbortSignal) => Promise<T>,
  because = 'stopped before the end',
): Promise<T> {
  const controller = new AbortController();
  const abort = () => {
    if (!controller.signal.aborted) say('stopping');
    controller.abort(new Error(because));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}
