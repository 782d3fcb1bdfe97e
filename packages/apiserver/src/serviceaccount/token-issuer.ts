import type { ObjectMeta } from '@coxswain/apimachinery';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { SigningKey } from '@coxswain/client/jwt';
import { signJwt } from '@coxswain/client/jwt';
import { serviceAccountUsername } from './user-info.ts';

/** What of an object stands in a token. */
type Named = { readonly metadata: Pick<ObjectMeta, 'name' | 'uid'> };

export interface NewToken {
  readonly serviceAccount: { readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'> };
  /** The token is good as long as this is there. Of pod and secret only one. */
  readonly pod?: Named;
  readonly secret?: Named;
  /** With a pod: where it runs, for information. Without: what the token is bound to. */
  readonly node?: Named;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** From then on the use of the token is noted: it should have been renewed. */
  readonly warnAfterSeconds?: number;
}

export interface TokenIssuerOptions {
  /** The first `--service-account-issuer`. */
  readonly issuer: string;
  readonly key: SigningKey;
  readonly now: () => Date;
  /** Makes the ids of tokens. */
  readonly newId?: () => string;
}

/** Signs tokens of service accounts. */
export class TokenIssuer {
  readonly #options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  /** A token and its id (`jti`). */
  createToken(token: NewToken): { token: string; id: string } {
    const { issuer, key, now, newId = systemRandom.uuid } = this.#options;
    const { serviceAccount, pod, secret, node, audiences, expirationSeconds, warnAfterSeconds } = token;
    if (secret && (pod || node)) throw new Error('internal error, token can only be bound to one object type');
    const seconds = Math.floor(now().getTime() / 1000);
    const { name = '', namespace = '' } = serviceAccount.metadata;
    const id = newId();
    // In upstream's order, which is that of the alphabet.
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
