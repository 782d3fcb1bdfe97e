import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Kubectl } from './kubectl.ts';
import { namePrefix } from './topology.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);

export interface ClientIdentity {
  readonly user: string;
  readonly group?: string;
  readonly signer: 'kubernetes.io/kube-apiserver-client' | 'kubernetes.io/kube-apiserver-client-kubelet';
}

/** Returns who the kubelet of a node is. */
export const kubeletIdentity = (node: string): ClientIdentity => ({
  user: `system:node:${node}`,
  group: 'system:nodes',
  signer: 'kubernetes.io/kube-apiserver-client-kubelet',
});

/** Who kube-proxy is, which has its role from the API server. */
export const proxyIdentity: ClientIdentity = {
  user: 'system:kube-proxy',
  signer: 'kubernetes.io/kube-apiserver-client',
};

/** Writes a new key and a certificate that the cluster's signer issued for it. Rejects when none is issued within a minute. */
export async function issueCertificate(
  kubectl: Kubectl,
  { user, group, signer }: ClientIdentity,
  files: { readonly cert: string; readonly key: string },
  signal: AbortSignal,
): Promise<void> {
  const subject = `${group === undefined ? '' : `/O=${group}`}/CN=${user}`;
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const { stdout } = await run('openssl', ['req', '-new', ...curve, '-nodes', '-keyout', files.key, '-subj', subject]);
  const name = `${namePrefix}${randomUUID()}`;
  await kubectl.run(['create', '-f', '-'], {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(stdout).toString('base64'),
      signerName: signer,
      usages: ['digital signature', 'client auth'],
    },
  });
  await kubectl.run(['certificate', 'approve', name]);
  const certificate = await waitUntil(
    async () => (await kubectl.read(['certificatesigningrequest', name], '{.status.certificate}')) || undefined,
    { what: `a certificate for ${user}`, timeoutMs: 60_000, signal },
  );
  await writeFile(files.cert, Buffer.from(certificate, 'base64'));
}
