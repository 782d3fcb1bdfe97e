import type { KeyObject } from 'node:crypto';
import { type Certificate, firstCertificate, type KeyPair, type KeyPairFiles, privateKey } from '@coxswain/client/x509';
import { readTextIfExists, writeAtomically } from '../files/write-atomically.ts';

/**
 * Writes the key first: if the process dies before the certificate is written, the next start issues one for the key.
 */
export async function writeKeyPair({ certificateFile, keyFile }: KeyPairFiles, pair: KeyPair): Promise<void> {
  await writeAtomically(keyFile, pair.keyPem, 0o600);
  await writeAtomically(certificateFile, pair.certificatePem, 0o644);
}

/**
 * Reads the files without validation; undefined when both are missing. Throws an Error that names the file at fault.
 */
export async function readKeyPair(
  files: KeyPairFiles,
): Promise<{ certificate?: Certificate; certificatePem?: string; key?: KeyObject; keyPem?: string } | undefined> {
  const [certificatePem, keyPem] = await Promise.all([
    readTextIfExists(files.certificateFile),
    readTextIfExists(files.keyFile),
  ]);
  if (certificatePem === undefined && keyPem === undefined) return undefined;
  return {
    ...(certificatePem !== undefined && {
      certificatePem,
      certificate: firstCertificate(files.certificateFile, certificatePem),
    }),
    ...(keyPem !== undefined && { keyPem, key: privateKey(files.keyFile, keyPem) }),
  };
}
