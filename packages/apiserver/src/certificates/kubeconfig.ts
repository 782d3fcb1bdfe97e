import { formatKubeConfig, type KubeConfig, newKubeConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';
import { readTextIfExists, writeAtomically } from '../files/write-atomically.ts';

export interface AdminKubeconfig {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** The CA certificates of the server, as PEM. */
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

const cluster = 'kubernetes';
const user = 'kubernetes-admin';
const context = `${user}@${cluster}`;

/** The text of a kubeconfig with embedded certificates and kubeadm's names. */
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
 * Writes the file atomically with mode 0600, unless it has that content already. Throws an Error instead of overwriting
 * a file that is not a kubeconfig or has other contexts.
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
      `${path}: not overwriting a file that is not a valid kubeconfig; remove it, or specify another file`,
      { cause },
    );
  }
  if ([...found.contexts.keys()].some((name) => name !== context))
    throw new Error(`${path}: not overwriting a kubeconfig with other contexts; specify another file`);
  await writeAtomically(path, text, 0o600);
}
