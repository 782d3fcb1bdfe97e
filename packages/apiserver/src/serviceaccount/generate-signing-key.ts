import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { type SigningKey, toSigningKey } from '@coxswain/client/jwt';

/**
 * Generates a P-256 key that signs tokens.
 *
 * The key is read from its encoded form. Exporting a generated KeyObject as a JWK can deadlock in Node 20: the export locks the key, and a
 * garbage collection during the export frees the job that generated it, which locks the same key.
 */
export function generateSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return toSigningKey(createPrivateKey({ key: privateKey, type: 'pkcs8', format: 'der' }));
}
