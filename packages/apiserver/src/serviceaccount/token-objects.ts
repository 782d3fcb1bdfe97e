import type { Node, Pod, Secret, ServiceAccount } from '@coxswain/api/core/v1';
import type { Lister } from '../registry/lister.ts';
import type { Claims } from './claims.ts';
import type { ServiceAccountIdentity } from './user-info.ts';

/** Listers of service accounts and of the objects that tokens can be bound to. */
export interface TokenObjects {
  readonly serviceAccounts: Lister<ServiceAccount>;
  readonly secrets: Lister<Secret>;
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
}

/** The identity of a valid token, with warnings for the client and annotations for the audit log. */
export interface ValidatedToken {
  readonly identity: ServiceAccountIdentity;
  readonly warnings?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Validates the claims of a token whose signature, issuer and audiences were verified. Throws an Error with upstream's message when
 * the token is not valid.
 */
export type TokenValidator = (claims: Claims, token: string) => ValidatedToken | Promise<ValidatedToken>;
