import { readFile } from 'node:fs/promises';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type KeyPair, type KeyPairFiles, loadKeyPair, parseCertificatesPem } from '@coxswain/client/x509';
import { OptionsError } from '@coxswain/component-base';
import { certificateNames } from '@coxswain/component-base/serving';
import { loadTokenFile, type TokenAuthenticator } from '../authentication/index.ts';
import {
  loadSigningKey,
  loadVerificationKeys,
  type SigningKey,
  type VerificationKey,
} from '../serviceaccount/index.ts';
import type { CompletedOptions } from './api-server-flags.ts';
import { type ServerIdentity, type ServerIdentityOptions, serverIdentity } from './server-identity.ts';

/** The contents of the files that the options name. Undefined for files that are not configured. */
export interface ServerFiles {
  readonly identity: ServerIdentity;
  /** As PEM, like the next two. */
  readonly clientCA?: string;
  readonly requestHeaderCA?: string;
  readonly kubeletCA?: string;
  readonly tokenFile?: TokenAuthenticator;
  readonly signingKey?: SigningKey;
  readonly verificationKeys?: readonly VerificationKey[];
  readonly kubeletClient?: KeyPair;
  readonly proxyClient?: KeyPair;
  readonly byName: readonly { readonly names: readonly string[]; readonly pair: KeyPair }[];
}

/** Reads all configured files. Throws an OptionsError with the problems of all files, by flag. */
export async function readServerFiles(
  options: CompletedOptions,
  { now, logger, ...identityOptions }: Omit<ServerIdentityOptions, 'servingFiles'>,
): Promise<ServerFiles> {
  /** In the order in which reading the files begins, whatever the order in which it ends. */
  const problems: (string | undefined)[] = [];
  const attempt = async <T>(flag: string, read: () => Promise<T>): Promise<T | undefined> => {
    const place = problems.push(undefined) - 1;
    try {
      return await read();
    } catch (error) {
      problems[place] = `--${flag}: ${messageOf(error)}`;
      return undefined;
    }
  };
  const optional = async <T>(flag: string, path: string | undefined, read: (path: string) => Promise<T>) =>
    path ? attempt(flag, () => read(path)) : undefined;
  const pair = (flag: string, certificateFile: string, keyFile: string) =>
    attempt(flag, () => loadKeyPair({ certificateFile, keyFile }, now));
  const servingFiles: KeyPairFiles | undefined = options.tlsCertFile
    ? { certificateFile: options.tlsCertFile, keyFile: options.tlsPrivateKeyFile! }
    : undefined;

  const [identity, clientCA, requestHeaderCA, kubeletCA, tokenFile, signingKey, verificationKeys, kubeletClient] =
    await Promise.all([
      attempt(servingFiles ? 'tls-cert-file' : 'cert-dir', () =>
        serverIdentity({ ...identityOptions, ...(servingFiles && { servingFiles }), now, logger }),
      ),
      optional('client-ca-file', options.clientCaFile, readAuthorities),
      optional('requestheader-client-ca-file', options.requestheaderClientCaFile, readAuthorities),
      optional('kubelet-certificate-authority', options.kubeletCertificateAuthority, readAuthorities),
      optional('token-auth-file', options.tokenAuthFile, (path) => loadTokenFile(path, logger)),
      optional('service-account-signing-key-file', options.serviceAccountSigningKeyFile, loadSigningKey),
      options.serviceAccountKeyFile.length > 0
        ? attempt('service-account-key-file', () => loadVerificationKeys(options.serviceAccountKeyFile))
        : undefined,
      optional('kubelet-client-certificate', options.kubeletClientCertificate, (certificateFile) =>
        loadKeyPair({ certificateFile, keyFile: options.kubeletClientKey! }, now),
      ),
    ]);
  const proxyClient = await optional('proxy-client-cert-file', options.proxyClientCertFile, (certificateFile) =>
    loadKeyPair({ certificateFile, keyFile: options.proxyClientKeyFile! }, now),
  );
  const named = await Promise.all(
    options.tlsSniCertKey.map(async ({ certificateFile, keyFile, names }) => {
      const found = await pair('tls-sni-cert-key', certificateFile, keyFile);
      return found ? [{ names: names.length > 0 ? names : certificateNames(found), pair: found }] : [];
    }),
  );
  if (
    clientCA &&
    requestHeaderCA &&
    options.requestheaderAllowedNames.length === 0 &&
    overlap(clientCA, requestHeaderCA)
  )
    problems.push(
      '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
    );
  const found = problems.filter((problem) => problem !== undefined);
  if (!identity || found.length > 0) throw new OptionsError(found);
  return {
    identity,
    clientCA,
    requestHeaderCA,
    kubeletCA,
    tokenFile,
    signingKey,
    verificationKeys,
    kubeletClient,
    proxyClient,
    byName: named.flat(),
  };
}

/** Reads a PEM bundle of certificates. Throws an Error when it has none. */
async function readAuthorities(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8');
  if (parseCertificatesPem(pem).length === 0) throw new Error(`${path}: there is no certificate in it`);
  return pem;
}

function overlap(a: string, b: string): boolean {
  const fingerprints = new Set(parseCertificatesPem(a).map(({ x509 }) => x509.fingerprint256));
  return parseCertificatesPem(b).some(({ x509 }) => fingerprints.has(x509.fingerprint256));
}
