import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '@coxswain/client/files';
import { issueKeyPair, type KeyPair, type KeyPairFiles, loadKeyPair } from '@coxswain/client/x509';
import type { NamedCertificate } from '../flags/flag-types.ts';
import { isUnspecified } from '../http/listen-host.ts';

export interface ServingCertificateOptions {
  /** `--tls-cert-file` and `--tls-private-key-file`. */
  readonly files?: KeyPairFiles;
  /** `--cert-dir`: the directory for a generated certificate; empty: it is not stored. */
  readonly directory: string;
  /** The base name of the generated files: the component's name. */
  readonly name: string;
  readonly bindAddress: string;
  /** The name in a generated certificate: `localhost` by default. */
  readonly hostName?: string;
  readonly now: () => Date;
}

export interface ServingCertificate {
  readonly pair: KeyPair;
  /** The files of the pair, which can be reloaded. */
  readonly files?: KeyPairFiles;
}

/**
 * Returns the certificate of a component's port: the given one, or a self-signed one. Throws an Error that names the
 * invalid file.
 */
export async function servingCertificate(options: ServingCertificateOptions): Promise<ServingCertificate> {
  const { files, directory, name, now } = options;
  if (files) return { pair: await loadKeyPair(files, now), files };
  if (directory === '') return { pair: selfSigned(options) };
  const kept = { certificateFile: join(directory, `${name}.crt`), keyFile: join(directory, `${name}.key`) };
  const existing = await loadKeyPair(kept, now).catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
    return undefined;
  });
  const pair = existing ?? selfSigned(options);
  if (!existing) await keep(directory, kept, pair);
  return { pair, files: kept };
}

async function keep(directory: string, { certificateFile, keyFile }: KeyPairFiles, pair: KeyPair): Promise<void> {
  await makeDirectory(directory);
  await writeFile(keyFile, pair.keyPem, { mode: 0o600 });
  await writeFile(certificateFile, pair.certificatePem);
}

const isMissingFile = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const hour = 3_600_000;

/** Issues a certificate by a CA of its own. The PEM contains the CA as well, so that clients can trust it. */
function selfSigned({ bindAddress, hostName = 'localhost', now }: ServingCertificateOptions): KeyPair {
  const time = now().getTime();
  const seconds = Math.floor(time / 1000);
  const validity = { notBefore: new Date(time - hour), notAfter: new Date(time - hour + 365 * 24 * hour) };
  const authority = issueKeyPair({ commonName: `${hostName}-ca@${seconds}`, isCA: true, ...validity });
  const pair = issueKeyPair(
    {
      commonName: `${hostName}@${seconds}`,
      usages: ['serverAuth'],
      dnsNames: [...new Set([hostName, 'localhost'])],
      ipAddresses: [...new Set(['127.0.0.1', ...(isUnspecified(bindAddress) ? [] : [bindAddress])])],
      ...validity,
    },
    authority,
  );
  return { ...pair, certificatePem: pair.certificatePem + authority.certificatePem };
}

/** Returns the DNS names of a certificate. */
export const certificateNames = ({ certificate }: KeyPair): readonly string[] => certificate.dnsNames;

/** Loads a certificate of `--tls-sni-cert-key`. Throws an Error that names the invalid file. */
export async function loadNamedCertificate(
  { names, ...files }: NamedCertificate,
  now: () => Date,
): Promise<{ readonly names: readonly string[]; readonly cert: string; readonly key: string }> {
  const pair = await loadKeyPair(files, now);
  return { names: names.length > 0 ? names : certificateNames(pair), cert: pair.certificatePem, key: pair.keyPem };
}
