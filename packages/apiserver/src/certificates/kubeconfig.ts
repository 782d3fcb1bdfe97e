import { formatKubeConfig, type KubeConfig, newKubeConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';
import { readTextIfExists, writeAtomically } from '../files/write-atomically.ts';

export interface AdminKubeconfig {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** Whom to trust, as PEM. */
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

const cluster = 'kubernetes';
const user = 'kubernetes-admin';
const context = `${user}@${cluster}`;

/** The text of the file that kubectl reads: everything is in it, by the names that kubeadm gives. */
export function formatAdminKubeconfig(config: AdminKubeconfig): Promise<string> {
  const { server, certificateAuthority, clientCertificate, clientKey } = config;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return formatKubeConfig({
    clusters: new Map([[cluster, { server, 'certificate-authority-data': base64(certificateAuthority) }]]),
    users: new Map([
      [user, { 'client-certificate-data': base64(clientCertificate), 'client-key-data': base64(clientKey) }],
    ]),
    contexts: new Map([[context, { cluster, user }]]),
    currentContext: context,
  });
}

/**
 * Writes it as a whole, for its owner's eyes only, if it is not there as it should be. Throws an Error rather than
 * replace a file that is somebody's collection of clusters.
 */
export async function writeAdminKubeconfig(path: string, config: AdminKubeconfig): Promise<void> {
  const text = await formatAdminKubeconfig(config);
  const existing = await readTextIfExists(path);
  if (existing === text) return;
  let found: KubeConfig;
  try {
    found = existing === undefined ? newKubeConfig() : await parseKubeConfig(existing);
  } catch (cause) {
    throw new Error(
      `${path}: this is no kubeconfig, or is damaged, and is not replaced; remove it, or name another file`,
      { cause },
    );
  }
  if ([...found.contexts.keys()].some((name) => name !== context))
    throw new Error(`${path}: this kubeconfig has other clusters in it and is not replaced; name another file`);
  await writeAtomically(path, text, 0o600);
}
