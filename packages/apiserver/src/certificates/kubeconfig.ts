import { isJsonObject, parseYaml, stringifyYaml } from '@coxswain/apimachinery';
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

/** The file that kubectl reads, with everything in it and the names that kubeadm gives. */
export function formatKubeconfig({
  server,
  certificateAuthority,
  clientCertificate,
  clientKey,
}: AdminKubeconfig): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return stringifyYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(clientCertificate), 'client-key-data': base64(clientKey) },
      },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
    preferences: {},
  });
}

/**
 * Writes it as a whole, for its owner's eyes only, if it is not there as it should be. Throws an Error rather than
 * replace a file that is somebody's collection of clusters.
 */
export async function writeAdminKubeconfig(path: string, config: AdminKubeconfig): Promise<void> {
  const text = formatKubeconfig(config);
  const existing = await readTextIfExists(path);
  if (existing === text) return;
  const contexts = existing === undefined ? [] : contextsOf(existing);
  if (contexts === undefined)
    throw new Error(
      `${path}: this is no kubeconfig, or is damaged, and is not replaced; remove it, or name another file`,
    );
  if (!contexts.every((name) => name === context))
    throw new Error(`${path}: this kubeconfig has other clusters in it and is not replaced; name another file`);
  await writeAtomically(path, text, 0o600);
}

/** Their names; undefined for what is no kubeconfig. */
function contextsOf(text: string): unknown[] | undefined {
  let value: unknown;
  try {
    ({ value } = parseYaml(text));
  } catch {
    return undefined;
  }
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value) || !Array.isArray(value.contexts)) return undefined;
  return value.contexts.map((entry: unknown) => (isJsonObject(entry) ? entry.name : undefined));
}
