import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const validity = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 86_400_000) };

/** An authority, a server at 127.0.0.1 and a client, all in PEM. */
export async function makeCertificates(): Promise<{ ca: string; server: KeyPair; client: KeyPair }> {
  const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const caKeys = await newKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: '01',
    name: 'CN=ca',
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const issue = async (name: string, serialNumber: string): Promise<KeyPair> => {
    const keys = await newKeys();
    const cert = await x509.X509CertificateGenerator.create({
      ...validity,
      serialNumber,
      subject: `CN=${name}`,
      issuer: ca.subject,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    });
    const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
    return { cert: cert.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` };
  };
  return { ca: ca.toString('pem'), server: await issue('kubelet', '02'), client: await issue('apiserver', '03') };
}
