import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Store } from '@coxswain/storage';
import type { InternalApplier, InternalClient, Listers } from '../registry/lister.ts';

/** Work that a server does after it has started to serve, once or until it stops. */
export interface PostStartHook {
  /** As in `/readyz/poststarthook/NAME`. */
  readonly name: string;
  /**
   * Resolves when the work is done for the first time, or the signal is aborted. Failures are logged and retried.
   * Background work ends when the signal is aborted. The same hook may run in several servers on one store.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Removes what must not outlive the server. Called after the signal was aborted, while the store is still open. */
  stop?(): Promise<void>;
}

/** The dependencies of all hooks. */
export interface BootstrapContext {
  readonly client: InternalClient & InternalApplier;
  readonly listers: Listers;
  readonly store: Store;
  /** The prefix of all keys in the store: `/registry`. */
  readonly storePrefix: string;
  readonly now: () => Date;
  readonly clock: Clock;
  /** Receives failures and warnings. */
  readonly logger: Logger;
}
