import type { Node, Pod, Secret, ServiceAccount } from '@coxswain/api/core/v1';
import type { Lister } from '../registry/lister.ts';
import type { Claims } from './claims.ts';
import type { ServiceAccountIdentity } from './user-info.ts';

/** The objects that tokens are bound to, as they are now. */
export interface TokenObjects {
  readonly serviceAccounts: Lister<ServiceAccount>;
  readonly secrets: Lister<Secret>;
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
}

/** Whose a token is, and what the request's log and its client should know about it. */
export interface ValidatedToken {
  readonly identity: ServiceAccountIdentity;
  readonly warnings?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Judges the claims of a token whose signature, issuer and audiences are good. Throws an Error that says, in upstream's
 * words, why it is not (or no longer) good.
 */
export type TokenValidator = (claims: Claims, token: string) => ValidatedToken | Promise<ValidatedToken>;
