import { onAbort } from '@coxswain/apimachinery/abort';

/** Something that happens once, or turns out never to happen. */
export class SyncState {
  #state: 'waiting' | 'synced' | 'failed' = 'waiting';
  #error: Error | undefined;
  readonly #waiting = new Set<() => void>();

  get isSynced(): boolean {
    return this.#state === 'synced';
  }

  succeed(): void {
    this.#settle('synced');
  }

  /** It will not happen. Harmless when it already has. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#settle('failed');
  }

  /** Resolves when it has happened; rejects when it will not, and with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): boolean => {
        if (this.#state === 'synced') resolve();
        else if (this.#state === 'failed') reject(this.#error);
        else if (signal?.aborted) reject(signal.reason);
        else return false;
        return true;
      };
      if (check()) return;
      const settled = (): void => {
        unlink();
        this.#waiting.delete(settled);
        check();
      };
      const unlink = onAbort(signal, settled);
      this.#waiting.add(settled);
    });
  }

  #settle(state: 'synced' | 'failed'): void {
    if (this.#state !== 'waiting') return;
    this.#state = state;
    for (const settled of [...this.#waiting]) settled();
  }
}
