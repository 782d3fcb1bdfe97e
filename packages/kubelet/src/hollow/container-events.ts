import type { ContainerEventResponse } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';

type Event = Init<ContainerEventResponse>;

/**
 * Publishes events of containers to all listeners. The queue of a listener is not bounded, so each listener must read its events or be
 * ended.
 */
export class ContainerEvents {
  readonly #listeners = new Set<(event: Event | undefined) => void>();

  publish(event: Event): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Ends all listeners. */
  close(): void {
    for (const listener of this.#listeners) listener(undefined);
  }

  /** Yields events from now on, until the signal is aborted. */
  async *listen(signal: AbortSignal): AsyncGenerator<Event> {
    const waiting: Event[] = [];
    let isOver = signal.aborted;
    let wake = (): void => {};
    const listener = (event: Event | undefined): void => {
      if (event) waiting.push(event);
      else isOver = true;
      wake();
    };
    const end = (): void => listener(undefined);
    this.#listeners.add(listener);
    signal.addEventListener('abort', end, { once: true });
    try {
      while (!isOver) {
        yield* waiting.splice(0);
        if (isOver || waiting.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.#listeners.delete(listener);
    }
  }

  /** Resolves when the condition is true, which is checked at once and after each event, or when the signal is aborted. */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    if (condition()) return;
    const stop = new AbortController();
    for await (const _ of this.listen(AbortSignal.any([signal, stop.signal]))) if (condition()) stop.abort();
  }
}
