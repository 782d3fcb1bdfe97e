import type { StrategyContext } from '@coxswain/api';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { SignatureVerifier } from '@coxswain/apimachinery/x509';
import type { Turns } from '../turns/turns.ts';

/** Resources that are reserved for a write, such as addresses. `commit` and `rollback` never throw. */
export interface Reservation {
  /** Keeps the reserved resources. Called when the object was stored. */
  commit(): Promise<void> | void;
  /** Releases the reserved resources. Called when the object was not stored, also for a dry run. */
  rollback(): Promise<void> | void;
}

/** A `StrategyContext` with additional properties of a write. */
export interface WriteContext extends StrategyContext {
  /** For a dry run, reservations must not be stored. */
  readonly dryRun: boolean;
  /** Required here: a server always verifies signatures. */
  readonly signatures: SignatureVerifier;
  /** Set for large writes, whose steps yield to the event loop. */
  turns?: Turns | undefined;
}

/**
 * Hooks of a resource whose writes affect more than its own object: the addresses and ports of services. They get the object in its
 * hub version after mutating admission, and may modify it but not `old`.
 */
export interface ResourceHooks<T extends KubernetesObject = KubernetesObject> {
  /** Called after `strategy.begin` and before validation. Throws an ApiError to refuse the write. */
  beginCreate?(object: T, context: WriteContext): Promise<Reservation>;
  /** Like `beginCreate`, for an update of the main resource. May be called again for the same request after a conflict. */
  beginUpdate?(object: T, old: T, context: WriteContext): Promise<Reservation>;
  /** Called after the object was removed from the store, never for a dry run. */
  afterDelete?(object: T): Promise<void> | void;
}
