import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatKubeConfig, parseKubeConfig } from '@coxswain/client/kubeconfig';
import { issueKeyPair, parseCertificatesPem } from '@coxswain/client/x509';
import type { CoxApiServer } from '../cox-apiserver.ts';

const dayMs = 86_400_000;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Writes a kubeconfig for a user with a client certificate of the server's CA, as kubeadm does. Returns the file. */
export async function componentKubeconfig(server: CoxApiServer, commonName: string): Promise<string> {
  const pki = (name: string): string => readFileSync(join(server.directory, 'pki', name), 'utf8');
  const [certificate] = parseCertificatesPem(pki('ca.crt'));
  const { certificatePem, keyPem } = issueKeyPair(
    {
      commonName,
      usages: ['clientAuth'],
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + dayMs),
    },
    { certificate: certificate!, key: createPrivateKey(pki('ca.key')) },
  );
  const config = await parseKubeConfig(readFileSync(server.kubeconfig, 'utf8'));
  for (const name of config.users.keys()) {
    config.users.set(name, {
      'client-certificate-data': base64(certificatePem),
      'client-key-data': base64(keyPem),
    });
  }
  const file = join(server.directory, `${commonName.replaceAll(':', '-')}.kubeconfig`);
  writeFileSync(file, await formatKubeConfig(config), { mode: 0o600 });
  return file;
}
