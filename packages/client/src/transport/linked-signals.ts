/**
 * Aborts the controller with the reason of the first signal that is aborted. Returns how to stop listening: signals may
 * live long, and would gather listeners.
 */
export function linkSignals(controller: AbortController, signals: readonly (AbortSignal | undefined)[]): () => void {
  const listeners: (() => void)[] = [];
  const unlink = (): void => {
    for (const stop of listeners.splice(0)) stop();
  };
  for (const signal of signals) {
    if (!signal) continue;
    const onAbort = (): void => {
      unlink();
      controller.abort(signal.reason);
    };
    if (signal.aborted) {
      onAbort();
      break;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    listeners.push(() => signal.removeEventListener('abort', onAbort));
  }
  return unlink;
}
