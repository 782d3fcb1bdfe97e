import { DerReader, derTags, X509Error } from '../der/der-reader.ts';
import { algorithmOids } from './public-key.ts';

/** The part of the public key that a private key contains. */
export type PublicHalf =
  | { readonly type: 'RSA' /** As in RsaPublicKey. */; readonly modulus: Uint8Array }
  /** `point` is absent when the key does not contain it. */
  | { readonly type: 'ECDSA'; readonly point?: Uint8Array }
  | { readonly type: 'Ed25519' };

const malformed = 'malformed private key';

/** Parses a private key (PKCS #8, PKCS #1 or SEC 1) as far as it contains the public key. Throws an X509Error. */
export function publicHalfOf(bytes: Uint8Array): PublicHalf {
  const reader = new DerReader(bytes).enter(derTags.sequence, malformed);
  reader.integerBytes(malformed);
  switch (reader.peek()) {
    case derTags.sequence:
      return publicHalfOfPkcs8(reader);
    case derTags.integer:
      return publicHalfOfPkcs1(reader);
    default:
      return publicHalfOfSec1(reader);
  }
}

/** PKCS #8 wraps one of the other forms. */
function publicHalfOfPkcs8(reader: DerReader): PublicHalf {
  const algorithm = reader.enter(derTags.sequence, malformed).oid(malformed);
  const { content } = reader.takeOr(derTags.octetString, malformed);
  if (algorithm === algorithmOids.ed25519) return { type: 'Ed25519' };
  const inner = new DerReader(content).enter(derTags.sequence, malformed);
  inner.integerBytes(malformed);
  if (algorithm === algorithmOids.ec) return publicHalfOfSec1(inner);
  if (algorithm !== algorithmOids.rsa) throw new X509Error(malformed);
  return publicHalfOfPkcs1(inner);
}

function publicHalfOfPkcs1(reader: DerReader): PublicHalf {
  const modulus = reader.integerBytes(malformed);
  return { type: 'RSA', modulus: modulus[0] === 0 ? modulus.subarray(1) : modulus };
}

const parametersTag = 0xa0;
const publicKeyTag = 0xa1;

function publicHalfOfSec1(reader: DerReader): PublicHalf {
  reader.takeOr(derTags.octetString, malformed);
  reader.take(parametersTag);
  const point = reader.take(publicKeyTag);
  return { type: 'ECDSA', ...(point && { point: new DerReader(point.content).bitString(malformed) }) };
}
