/** Who waits for which signal. Entries go with their signals. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal is aborted; not if it is already. Returns how to stop waiting. However many wait, the signal has
 * one listener, and none when nobody waits: Node takes many listeners on a signal that lives long for a leak, and says so.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal || signal.aborted) return () => {};
  // A function of its own: the same callback may wait twice. It lets go of that at the end: tables from which it was taken may outlive it.
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
