import type { StrategyContext } from '@coxswain/api';
import type { KubernetesObject } from '@coxswain/apimachinery';
import type { SignatureVerifier } from '@coxswain/apimachinery/x509';
import type { Turns } from '../turns/turns.ts';

/** What was reserved for a write: kept when the object is stored, given back when it is not. Neither fails. */
export interface Reservation {
  /** The object is stored. */
  commit(): Promise<void> | void;
  /** It is not, or it was a dry run. */
  rollback(): Promise<void> | void;
}

/** `StrategyContext` and what only a server knows of a write. */
export interface WriteContext extends StrategyContext {
  /** Nothing may be kept: what is reserved is only tried. */
  readonly dryRun: boolean;
  /** A server checks them always. */
  readonly signatures: SignatureVerifier;
  /** Of a write of something large, between whose steps others have their turn. */
  turns?: Turns | undefined;
}

/**
 * What a resource needs beyond its strategy because it touches more than its own object: addresses and ports of
 * services. Hooks get the object in its hub version after mutating admission and may change it; `old` must stay.
 */
export interface ResourceHooks<T extends KubernetesObject = KubernetesObject> {
  /** After `strategy.begin`, before validation. Throws an ApiError to refuse the write. */
  beginCreate?(object: T, context: WriteContext): Promise<Reservation>;
  /** The same for an update of the main resource. May be called again for the same request after a conflict. */
  beginUpdate?(object: T, old: T, context: WriteContext): Promise<Reservation>;
  /** The object is gone from the store (never for a dry run). */
  afterDelete?(object: T): Promise<void> | void;
}
