import { join } from 'node:path';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import type { SigningKey } from '@coxswain/client/jwt';
import { type KeyPair, type KeyPairFiles, loadKeyPair } from '@coxswain/client/x509';
import { makeDirectory } from '@coxswain/storage';
import { ensureServiceAccountKey } from '../serviceaccount/key-file.ts';
import { CertificateAuthority } from './certificate-authority.ts';
import type { ServingNames } from './serving-names.ts';

/** The user that the server is to kubelets, where it makes that client certificate itself. As in clusters of kubeadm. */
export const kubeletClientUser = 'kube-apiserver-kubelet-client';

export interface ServerCertificatesOptions {
  /** `--cert-dir` */
  readonly directory: string;
  readonly names: ServingNames;
  /** `--tls-cert-file` and `--tls-private-key-file`: used instead of a certificate of ours. */
  readonly servingFiles?: KeyPairFiles;
  readonly now: () => Date;
  readonly logger?: Logger;
}

/** Everything that the server and its first user need to trust each other. */
export interface ServerCertificates {
  /** Signs what the server shows, and the client certificates below. */
  readonly ca: CertificateAuthority;
  readonly serving: KeyPair;
  /** Whom to trust for `serving`: our authority or, when the user gave the certificate, that with all that follows it. */
  readonly servingTrust: string;
  /** A user in `system:masters`. */
  readonly admin: KeyPair;
  /** How the server shows itself to kubelets: as `kubeletClientUser`. */
  readonly kubeletClient: KeyPair;
  /** Signs the certificates of those who may say in whose name they ask. */
  readonly frontProxyCA: CertificateAuthority;
  /** How the server shows itself to aggregated API servers. */
  readonly frontProxyClient: KeyPair;
  readonly serviceAccountKey: SigningKey;
}

/**
 * Reads the directory's files, named as kubeadm names them, and makes those that are missing or no longer good. Keys are
 * readable by the owner alone. Throws an Error that names the file for what is the user's and no good.
 *
 * Differs from upstream: kubeadm's administrator is in a group that a role binding makes one, which needs a second,
 * all-powerful certificate to begin with; ours is in `system:masters`. The client certificate for kubelets is, as kubeadm's, in no
 * group: a role binding says what its user may do.
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

/** Like Promise.all, but nothing goes on being written after it has failed. */
async function allDone<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
