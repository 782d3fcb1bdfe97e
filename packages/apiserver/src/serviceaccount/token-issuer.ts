import type { ObjectMeta } from '@coxswain/apimachinery';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { SigningKey } from '@coxswain/client/jwt';
import { signJwt } from '@coxswain/client/jwt';
import { serviceAccountUsername } from './user-info.ts';

/** The part of an object that a token contains. */
type Named = { readonly metadata: Pick<ObjectMeta, 'name' | 'uid'> };

export interface NewToken {
  readonly serviceAccount: { readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'> };
  /** The bound object, without which the token becomes invalid. At most one of `pod` and `secret` may be set. */
  readonly pod?: Named;
  readonly secret?: Named;
  /** With `pod`, the node that it runs on, for information. Otherwise the bound object. */
  readonly node?: Named;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** After this time, uses of the token are recorded in the audit log, because it should have been renewed. */
  readonly warnAfterSeconds?: number;
}

export interface TokenIssuerOptions {
  /** The first `--service-account-issuer`. */
  readonly issuer: string;
  readonly key: SigningKey;
  readonly now: () => Date;
  /** Makes the IDs of tokens. */
  readonly newId?: () => string;
}

/** Issues service account tokens. */
export class TokenIssuer {
  readonly #options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  /** Returns a signed token and its ID (`jti`). Throws an Error when it would be bound to two objects. */
  createToken(token: NewToken): { token: string; id: string } {
    const { issuer, key, now, newId = systemRandom.uuid } = this.#options;
    const { serviceAccount, pod, secret, node, audiences, expirationSeconds, warnAfterSeconds } = token;
    if (secret && (pod || node)) throw new Error('internal error, token can only be bound to one object type');
    const seconds = Math.floor(now().getTime() / 1000);
    const { name = '', namespace = '' } = serviceAccount.metadata;
    const id = newId();
    // In upstream's order, which is alphabetical.
    const claims = {
      aud: audiences,
      exp: seconds + expirationSeconds,
      iat: seconds,
      iss: issuer,
      jti: id,
      'kubernetes.io': {
        namespace,
        node: reference(node),
        pod: reference(pod),
        secret: reference(secret),
        serviceaccount: reference(serviceAccount),
        warnafter: warnAfterSeconds === undefined ? undefined : seconds + warnAfterSeconds,
      },
      nbf: seconds,
      sub: serviceAccountUsername(namespace, name),
    };
    return { token: signJwt(claims, key), id };
  }
}

const reference = (object: Named | undefined) => object && { name: object.metadata.name, uid: object.metadata.uid };
