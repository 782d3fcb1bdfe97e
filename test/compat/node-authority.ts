import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueKeyPair, type KeyPair } from '@coxswain/client/x509';

/** The files of an authority that signs the certificates of nodes. */
export interface NodeAuthority {
  readonly certificateFile: string;
  readonly keyFile: string;
}

const dayMs = 86_400_000;

/**
 * Writes an authority, and a certificate of it with which a kube-apiserver calls kubelets. Returns it with the flags that a kube-apiserver
 * needs for nodes that join with bootstrap tokens.
 */
export function writeNodeAuthority(folder: string): {
  readonly authority: NodeAuthority;
  readonly flags: readonly string[];
} {
  const now = Date.now();
  const validity = { notBefore: new Date(now - dayMs), notAfter: new Date(now + dayMs) };
  const ca = issueKeyPair({ commonName: 'nodes', isCA: true, ...validity });
  const client = issueKeyPair(
    { commonName: 'kube-apiserver', organizations: ['system:masters'], usages: ['clientAuth'], ...validity },
    ca,
  );
  const authority = write(folder, 'node-ca', ca);
  const { certificateFile, keyFile } = write(folder, 'kubelet-client', client);
  const flags = [
    `--client-ca-file=${authority.certificateFile}`,
    `--kubelet-client-certificate=${certificateFile}`,
    `--kubelet-client-key=${keyFile}`,
    ...joinFlags,
  ];
  return { authority, flags };
}

/** Flags of an API server, ours or upstream's, for nodes that join with bootstrap tokens. */
export const joinFlags = [
  '--enable-bootstrap-token-auth',
  '--kubelet-preferred-address-types=InternalIP',
  '--allow-privileged',
];

function write(folder: string, name: string, { certificatePem, keyPem }: KeyPair): NodeAuthority {
  const files = { certificateFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  writeFileSync(files.certificateFile, certificatePem);
  writeFileSync(files.keyFile, keyPem, { mode: 0o600 });
  return files;
}
