import { issueKeyPair } from '@coxswain/client/x509';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const validity = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 86_400_000) };

/** Returns a CA certificate, and key pairs of a server at 127.0.0.1 and of a client, as PEM. */
export async function makeCertificates(): Promise<{ ca: string; server: KeyPair; client: KeyPair }> {
  const ca = issueKeyPair({ commonName: 'ca', isCA: true, ...validity });
  const issue = (commonName: string, usage: 'serverAuth' | 'clientAuth'): KeyPair => {
    const template = { commonName, usages: [usage], ipAddresses: ['127.0.0.1'], ...validity };
    const { certificatePem: cert, keyPem: key } = issueKeyPair(template, ca);
    return { cert, key };
  };
  return { ca: ca.certificatePem, server: issue('kubelet', 'serverAuth'), client: issue('apiserver', 'clientAuth') };
}
