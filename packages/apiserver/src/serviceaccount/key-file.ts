import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { parseSigningKey, parseVerificationKeys, type SigningKey, type VerificationKey } from '@coxswain/client/jwt';
import { readTextIfExists, writeAtomically } from '../files/write-atomically.ts';
import { generateSigningKey } from './generate-signing-key.ts';

/** Loads the key of `--service-account-signing-key-file`. Throws an Error that names the file. */
export async function loadSigningKey(path: string): Promise<SigningKey> {
  const pem = await readFile(path, 'utf8');
  return naming(`error reading private key file ${path}`, () => parseSigningKey(pem));
}

/** Loads the keys of all `--service-account-key-file` flags. Throws an Error that names the file. */
export async function loadVerificationKeys(paths: readonly string[]): Promise<VerificationKey[]> {
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return texts.flatMap((pem, i) =>
    naming(`error reading public key file ${paths[i]}`, () => parseVerificationKeys(pem)),
  );
}

function naming<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`);
  }
}

function usableKey(file: string, pem: string): SigningKey {
  try {
    return parseSigningKey(pem);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`${file}: ${reason}; remove it to have another made, with which all tokens end`, { cause });
  }
}

/**
 * Returns the key in `sa.key`, whose public key is written to `sa.pub`. Generates it when there is none. An existing key is never
 * replaced, because that would invalidate all tokens: throws an Error that names the file when it is not usable.
 *
 * Differs from upstream: kubeadm generates an RSA key, which takes a second. Ours is a P-256 key, which upstream accepts, too.
 */
export async function ensureServiceAccountKey(directory: string, logger: Logger = silentLogger): Promise<SigningKey> {
  const keyFile = join(directory, 'sa.key');
  const publicFile = join(directory, 'sa.pub');
  const [keyPem, publicPem] = await Promise.all([readTextIfExists(keyFile), readTextIfExists(publicFile)]);
  let key: SigningKey;
  if (keyPem !== undefined) key = usableKey(keyFile, keyPem);
  else if (publicPem !== undefined) throw new Error(`${publicFile}: its private key ${keyFile} is missing`);
  else {
    key = generateSigningKey();
    await writeAtomically(keyFile, key.privateKey.export({ type: 'sec1', format: 'pem' }).toString(), 0o600);
    logger.info('Generated service account key', { file: keyFile });
  }
  const expected = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  if (publicPem !== expected) await writeAtomically(publicFile, expected, 0o644);
  return key;
}
