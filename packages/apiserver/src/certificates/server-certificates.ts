import { join } from 'node:path';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import type { SigningKey } from '@coxswain/client/jwt';
import { type KeyPair, type KeyPairFiles, loadKeyPair } from '@coxswain/client/x509';
import { makeDirectory } from '@coxswain/storage';
import { ensureServiceAccountKey } from '../serviceaccount/key-file.ts';
import { CertificateAuthority } from './certificate-authority.ts';
import type { ServingNames } from './serving-names.ts';

/** The common name of the client certificate for kubelets, as in clusters of kubeadm. */
export const kubeletClientUser = 'kube-apiserver-kubelet-client';

export interface ServerCertificatesOptions {
  /** `--cert-dir` */
  readonly directory: string;
  readonly names: ServingNames;
  /** `--tls-cert-file` and `--tls-private-key-file`: used instead of an issued certificate. */
  readonly servingFiles?: KeyPairFiles;
  readonly now: () => Date;
  readonly logger?: Logger;
}

/** The key pairs and CAs of a server, and the client certificate of its administrator. */
export interface ServerCertificates {
  /** Signs the serving certificate and the client certificates below, except the front proxy's. */
  readonly ca: CertificateAuthority;
  readonly serving: KeyPair;
  /** The certificates to trust for `serving`: our CA or, if another CA issued it, the certificate with its chain. */
  readonly servingTrust: string;
  /** A user in `system:masters`. */
  readonly admin: KeyPair;
  /** The server's client certificate for kubelets, with the user `kubeletClientUser`. */
  readonly kubeletClient: KeyPair;
  /** Signs the certificates of front proxies, whose user headers are trusted. */
  readonly frontProxyCA: CertificateAuthority;
  /** The server's client certificate for aggregated API servers. */
  readonly frontProxyClient: KeyPair;
  readonly serviceAccountKey: SigningKey;
}

/**
 * Loads the files of the directory, which have kubeadm's names, and creates those that are missing or no longer valid.
 * Keys have mode 0600. Throws an Error that names the file for an invalid file that must not be replaced.
 *
 * Differs from upstream: kubeadm's administrator gets its permissions from a ClusterRoleBinding of its group, which
 * needs a second certificate in `system:masters` to create; ours is in `system:masters`. As kubeadm's, the client
 * certificate for kubelets is in no group; a ClusterRoleBinding grants its user permissions.
 */
export async function ensureServerCertificates(options: ServerCertificatesOptions): Promise<ServerCertificates> {
  const { directory, names, servingFiles, now, logger = silentLogger } = options;
  await makeDirectory(directory);
  const files = (name: string): KeyPairFiles => ({
    certificateFile: join(directory, `${name}.crt`),
    keyFile: join(directory, `${name}.key`),
  });
  const [ca, frontProxyCA, serviceAccountKey] = await allDone([
    CertificateAuthority.ensure(files('ca'), 'kubernetes', now, logger),
    CertificateAuthority.ensure(files('front-proxy-ca'), 'front-proxy-ca', now, logger),
    ensureServiceAccountKey(directory, logger),
  ]);
  const client = (authority: CertificateAuthority, file: string, commonName: string, organizations: string[]) =>
    authority.ensureLeaf(files(file), { commonName, organizations, usages: ['clientAuth'] }, logger);
  const [serving, admin, kubeletClient, frontProxyClient] = await allDone([
    servingFiles
      ? loadKeyPair(servingFiles, now)
      : ca.ensureLeaf(files('apiserver'), { commonName: 'kube-apiserver', usages: ['serverAuth'], ...names }, logger),
    client(ca, 'admin', 'kubernetes-admin', ['system:masters']),
    client(ca, 'apiserver-kubelet-client', kubeletClientUser, []),
    client(frontProxyCA, 'front-proxy-client', 'front-proxy-client', []),
  ]);
  const isOurs = serving.certificate.x509.verify(ca.certificate.x509.publicKey);
  const servingTrust = isOurs ? ca.certificatePem : serving.certificatePem;
  return { ca, serving, servingTrust, admin, kubeletClient, frontProxyCA, frontProxyClient, serviceAccountKey };
}

/** Like Promise.all, but rejects only when all have settled, so that no files are written afterwards. */
async function allDone<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
