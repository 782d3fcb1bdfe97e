import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Store } from '@coxswain/storage';
import type { InternalApplier, InternalClient, Listers } from '../registry/lister.ts';

/** Something that a server does once it serves, and maybe goes on doing. */
export interface PostStartHook {
  /** As in `/readyz/poststarthook/NAME`. */
  readonly name: string;
  /**
   * Resolves when what it provides is there, or the signal is aborted; failures are reported and tried again. What it
   * goes on doing ends with the signal. It is safe to start the same hook in several servers over one store.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Takes back what should not outlive the server. After the signal, while the store is still open. */
  stop?(): Promise<void>;
}

/** What all hooks need. */
export interface BootstrapContext {
  readonly client: InternalClient & InternalApplier;
  readonly listers: Listers;
  readonly store: Store;
  /** Before all keys: `/registry`. */
  readonly storePrefix: string;
  readonly now: () => Date;
  readonly clock: Clock;
  /** Hears of what failed, and of what was not as it should be. */
  readonly logger: Logger;
}
