import { generateKeyPairSync } from 'node:crypto';
import type { Logger } from '@coxswain/apimachinery/log';
import { toSigningKey } from '@coxswain/client/jwt';
import { issueKeyPair, type KeyPair, type KeyPairFiles, loadKeyPair } from '@coxswain/client/x509';
import { ensureServerCertificates, kubeletClientUser, type ServingNames } from '../certificates/index.ts';
import type { SigningKey } from '../serviceaccount/index.ts';
import { once } from './once.ts';

/** Certificates and keys that a server has without being given any; some may be made when they are first looked at. */
export interface ServerIdentity {
  /** Who signs the client certificates below; without a key it can sign no more of them. */
  readonly ca: Pick<KeyPair, 'certificate' | 'certificatePem'> & { readonly key: KeyPair['key'] | undefined };
  readonly serving: KeyPair;
  /** PEM: whom clients trust for it. */
  readonly servingTrust: string;
  readonly admin: KeyPair;
  readonly kubeletClient: KeyPair;
  /** PEM: who signs for those who may say in headers who asks. */
  readonly frontProxyCA: string;
  readonly frontProxyClient: KeyPair;
  readonly serviceAccountKey: SigningKey;
}

export interface ServerIdentityOptions {
  /** Absent: nothing is kept, everything is made anew. */
  readonly directory?: string;
  readonly names: ServingNames;
  readonly servingFiles?: KeyPairFiles;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Reads what the directory has, and makes what it has not. Throws an Error that names the file at fault. */
export async function serverIdentity(options: ServerIdentityOptions): Promise<ServerIdentity> {
  const { directory, ...rest } = options;
  if (directory === undefined) return identityInMemory(options);
  // Before anything is made.
  if (options.servingFiles) await loadKeyPair(options.servingFiles, options.now);
  const { frontProxyCA, ...identity } = await ensureServerCertificates({ directory, ...rest });
  return { frontProxyCA: frontProxyCA.certificatePem, ...identity };
}

const day = 24 * 3600 * 1000;

async function identityInMemory({ names, servingFiles, now }: ServerIdentityOptions): Promise<ServerIdentity> {
  const time = now().getTime();
  const validity = { notBefore: new Date(time - 5 * 60_000), notAfter: new Date(time + 365 * day) };
  const ca = issueKeyPair({ commonName: 'kubernetes', dnsNames: ['kubernetes'], isCA: true, ...validity });
  const frontProxyCA = issueKeyPair({ commonName: 'front-proxy-ca', isCA: true, ...validity });
  // Few clusters in a test are asked for anything that needs one of these.
  const client = (commonName: string, organizations: readonly string[]) =>
    once(() => issueKeyPair({ commonName, organizations, usages: ['clientAuth'], ...validity }, ca));
  const admin = client('kubernetes-admin', ['system:masters']);
  const kubeletClient = client(kubeletClientUser, []);
  const proxy = { commonName: 'front-proxy-client', usages: ['clientAuth'], ...validity } as const;
  const frontProxyClient = once(() => issueKeyPair(proxy, frontProxyCA));
  const given = servingFiles && (await loadKeyPair(servingFiles, now));
  const own = { commonName: 'kube-apiserver', usages: ['serverAuth'], ...names, ...validity } as const;
  const serving = once(() => given ?? issueKeyPair(own, ca));
  return {
    ca,
    servingTrust: (given ?? ca).certificatePem,
    frontProxyCA: frontProxyCA.certificatePem,
    serviceAccountKey: toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    get serving() {
      return serving();
    },
    get admin() {
      return admin();
    },
    get kubeletClient() {
      return kubeletClient();
    },
    get frontProxyClient() {
      return frontProxyClient();
    },
  };
}
