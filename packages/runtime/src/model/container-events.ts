import { onAbort } from '@coxswain/apimachinery/abort';
import type { ContainerEventResponse } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';

/** A listener that falls further behind is told so, and has to list again. */
const maxWaiting = 1000;

interface Listener {
  readonly waiting: ContainerEventResponse[];
  isLate: boolean;
  wake(): void;
}

/** Events of containers for any number of listeners, each of which gets all that happen after it has begun to listen. */
export class ContainerEvents {
  readonly #listeners = new Set<Listener>();

  /** False if an event need not be described. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  publish(event: ContainerEventResponse): void {
    for (const listener of this.#listeners) {
      if (listener.waiting.length >= maxWaiting) listener.isLate = true;
      else listener.waiting.push(event);
      listener.wake();
    }
  }

  /** Ends when the signal is aborted. Throws ResourceExhausted when the listener has fallen behind. */
  async *listen(signal: AbortSignal): AsyncGenerator<ContainerEventResponse> {
    let wake: () => void = () => {};
    const listener: Listener = { waiting: [], isLate: false, wake: () => wake() };
    this.#listeners.add(listener);
    const unlink = onAbort(signal, () => wake());
    try {
      while (!signal.aborted) {
        const next = listener.waiting.shift();
        if (next) yield next;
        else if (listener.isLate) throw new RpcError('ResourceExhausted', 'the listener is too slow for the events');
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      unlink();
      this.#listeners.delete(listener);
    }
  }
}
