import { onAbort } from '@coxswain/apimachinery/abort';

/** A one-time transition to synced or failed, for which callers can wait. */
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

  /** Sets the state to failed, unless it is synced already. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#settle('failed');
  }

  /** Resolves when synced; rejects when failed, and with the signal's reason. */
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
