/** The registered callbacks of each signal. Entries are collected together with their signals. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` when the signal is aborted; never if it is aborted already. Returns a function that unregisters the callback. The
 * signal has one listener regardless of the number of callbacks, and none when there are no callbacks: Node warns of a memory leak when a
 * long-lived signal has many listeners.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal || signal.aborted) return () => {};
  // One wrapper per registration: the same callback may be registered twice. Unregistering drops the reference to the callback, because a
  // hash table from which the wrapper was deleted may stay in memory.
  let wanted: (() => void) | undefined = callback;
  const call = (): void => wanted?.();
  const known = waiting.get(signal);
  if (known) known.add(call);
  else {
    waiting.set(signal, new Set([call]));
    signal.addEventListener('abort', onSignal, { once: true });
  }
  return () => {
    wanted = undefined;
    const callbacks = waiting.get(signal);
    if (!callbacks?.delete(call) || callbacks.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', onSignal);
  };
}

function onSignal(this: AbortSignal): void {
  const callbacks = waiting.get(this) ?? [];
  waiting.delete(this);
  for (const call of callbacks) call();
}
