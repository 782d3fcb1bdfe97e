import { sign, verify } from 'node:crypto';
import { isJsonObject } from '@coxswain/apimachinery/json';
import type { JwtAlgorithm, SigningKey, VerificationKey } from './keys.ts';

const digests: Readonly<Record<JwtAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};
/** RSA signatures don't look at it. */
const dsaEncoding = 'ieee-p1363';

/** A signed JSON Web Token in its compact form, with the key's algorithm and id in its header. */
export function signJwt(claims: object, { algorithm, keyId, privateKey }: SigningKey): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${encode({ alg: algorithm, kid: keyId })}.${encode(claims)}`;
  const signature = sign(digests[algorithm], Buffer.from(input), { key: privateKey, dsaEncoding });
  return `${input}.${signature.toString('base64url')}`;
}

/** A token taken apart; nothing of it may be believed before `verifyJwt`. */
export interface UnverifiedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** What is signed. */
  readonly input: string;
  readonly signature: Buffer;
}

/**
 * Takes a compact token apart; undefined when it has not its form.
 *
 * Differs from upstream: base64 that sets bits beyond its end is not accepted.
 */
export function parseJwt(token: string): UnverifiedJwt | undefined {
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const [header, claims] = [parts[0]!, parts[1]!].map(parseObject);
  const signature = decode(parts[2]!);
  if (!header || !claims || !signature) return undefined;
  return { header, claims, input: `${parts[0]}.${parts[1]}`, signature };
}

function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function parseObject(part: string): Record<string, unknown> | undefined {
  const bytes = decode(part);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the key signed the token, with the key's own algorithm. A token that asks for another one, or for extensions
 * that must be understood, is not accepted.
 *
 * Differs from upstream: RSA keys sign with RS256 alone, as they do when upstream issues tokens.
 */
export function verifyJwt({ header, input, signature }: UnverifiedJwt, key: VerificationKey): boolean {
  const { algorithm, publicKey } = key;
  if (header.alg !== algorithm || header.crit !== undefined) return false;
  return verify(digests[algorithm], Buffer.from(input), { key: publicKey, dsaEncoding }, signature);
}
