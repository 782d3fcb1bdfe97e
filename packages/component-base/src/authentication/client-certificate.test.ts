import { generateKeyPairSync } from 'node:crypto';
import { type CertificateTemplate, issueCertificate, issueKeyPair, type KeyPair } from '@coxswain/client/x509';
import { describe, expect, it } from 'vitest';
import { fakeRequest } from '../http/fake-request.test-data.ts';
import { CertificatePool } from './certificate-pool.ts';
import { clientCertificateAuthenticator } from './client-certificate.ts';

const now = new Date('2026-06-01T00:00:00Z');
const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };

const authority = (commonName: string, issuer?: KeyPair, more: Partial<CertificateTemplate> = {}): KeyPair =>
  issueKeyPair({ commonName, isCA: true, ...validity, ...more }, issuer);
const client = (issuer?: KeyPair, more: Partial<CertificateTemplate> = {}): KeyPair =>
  issueKeyPair(
    { commonName: 'carol', organizations: ['dev', 'ops'], usages: ['clientAuth'], ...validity, ...more },
    issuer,
  );

const ca = authority('ca');
const otherCA = authority('ca');
const intermediate = authority('intermediate', ca);
const second = authority('second', intermediate);
const expired = authority('expired', ca, { notAfter: new Date('2026-05-31T23:59:59Z') });
const leafAsCA = client(ca, { commonName: 'leaf' });
const serverCA = authority('for servers', ca, { usages: ['serverAuth'] });
const uid = '1.3.6.1.4.1.57683.2';

const raw = (...pairs: KeyPair[]): Uint8Array[] => pairs.map(({ certificate }) => certificate.x509.raw);
const newAuthenticator = (clock = () => now, pem = ca.certificatePem) =>
  clientCertificateAuthenticator(CertificatePool.fromPem(pem), clock);
const authenticate = (...pairs: KeyPair[]) =>
  newAuthenticator().authenticate(fakeRequest({ certificates: raw(...pairs) }));

describe('a client certificate', () => {
  it('authenticates the user it names', async () => {
    const carol = client(ca, { attributes: { [uid]: 'uid-7' } });
    const fingerprint = carol.certificate.x509.fingerprint256.replaceAll(':', '').toLowerCase();
    expect(await authenticate(carol)).toEqual({
      user: {
        username: 'carol',
        uid: 'uid-7',
        groups: ['dev', 'ops'],
        extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
      },
    });
  });

  it.each<[sentence: string, pairs: KeyPair[]]>([
    ['without extended key usages', [client(ca, { usages: [] })]],
    ['for servers and clients', [client(ca, { usages: ['serverAuth', 'clientAuth'] })]],
    ['issued by an intermediate CA', [client(intermediate), intermediate]],
    ['issued over two intermediate CAs, in any order', [client(second), intermediate, second]],
    ['with more certificates than it needs', [client(ca), otherCA, second]],
  ])('is accepted: one %s', async (_, pairs) => {
    expect((await authenticate(...pairs))?.user.username).toBe('carol');
  });

  it('is accepted when it is itself in the pool', async () => {
    const self = client();
    const authenticator = newAuthenticator(() => now, `${ca.certificatePem}${self.certificatePem}`);
    expect((await authenticator.authenticate(fakeRequest({ certificates: raw(self) })))?.user.username).toBe('carol');
  });

  it('without a common name authenticates no user, and neither does a missing certificate', async () => {
    expect(await authenticate(client(ca, { commonName: '' }))).toBeUndefined();
    expect(await authenticate()).toBeUndefined();
  });

  const unknown = 'x509: certificate signed by unknown authority';
  const because = (problem: string, name: string): string =>
    `${unknown} (possibly because of "${problem}" while trying to verify candidate authority certificate "${name}")`;
  it.each<[sentence: string, pairs: KeyPair[], problem: string]>([
    ['of another CA of the same name', [client(otherCA)], because('x509: ECDSA verification failure', 'ca')],
    [
      'of an untrusted CA that is sent with it',
      [client(otherCA), otherCA],
      because('x509: ECDSA verification failure', 'ca'),
    ],
    ['whose intermediate CA is missing', [client(intermediate)], unknown],
    ['that is self-signed', [client()], unknown],
    [
      'that has expired',
      [client(ca, { notAfter: new Date('2026-05-31T23:59:59Z') })],
      'x509: certificate has expired or is not yet valid: current time 2026-06-01T00:00:00Z is after 2026-05-31T23:59:59Z',
    ],
    [
      'that is not valid yet',
      [client(ca, { notBefore: new Date('2026-06-01T00:00:01Z') })],
      'x509: certificate has expired or is not yet valid: current time 2026-06-01T00:00:00Z is before 2026-06-01T00:00:01Z',
    ],
    [
      'of an expired CA',
      [client(expired), expired],
      'x509: certificate has expired or is not yet valid: current time 2026-06-01T00:00:00Z is after 2026-05-31T23:59:59Z',
    ],
    ['for servers', [client(ca, { usages: ['serverAuth'] })], 'x509: certificate specifies an incompatible key usage'],
    ['of a CA for servers', [client(serverCA), serverCA], 'x509: certificate specifies an incompatible key usage'],
    [
      'signed by a certificate that is not a CA',
      [client(leafAsCA), leafAsCA],
      because('x509: invalid signature: parent certificate cannot sign this kind of certificate', 'leaf'),
    ],
  ])('is refused: one %s', async (_, pairs, problem) => {
    const [{ certificate }] = pairs as [KeyPair];
    const hex = (bytes: Uint8Array) =>
      Buffer.from(bytes)
        .toString('hex')
        .toUpperCase()
        .replace(/..(?!$)/g, '$&:');
    await expect(authenticate(...pairs)).rejects.toThrow(
      new Error(
        `verifying certificate SN=${certificate.serialNumber}, SKID=${hex(certificate.subjectKeyId)}, AKID=${hex(certificate.authorityKeyId)} failed: ${problem}`,
      ),
    );
  });

  it('is refused with an empty UID', async () => {
    await expect(authenticate(client(ca, { attributes: { [uid]: '' } }))).rejects.toThrow(
      'UID cannot be an empty string',
    );
  });

  it('is refused when its bytes are no certificate', async () => {
    const certificates = [Buffer.from('hello')];
    await expect(newAuthenticator().authenticate(fakeRequest({ certificates }))).rejects.toThrow();
  });

  it('is checked against the clock, also when it is cached', async () => {
    let time = now;
    const authenticator = newAuthenticator(() => time);
    const request = fakeRequest({ certificates: raw(client(ca)) });
    const first = await authenticator.authenticate(request);
    expect(await authenticator.authenticate(request)).toBe(first);
    time = new Date('2027-01-01T00:00:01Z');
    await expect(authenticator.authenticate(request)).rejects.toThrow('has expired');
  });

  it('is cached across connections', async () => {
    const authenticator = newAuthenticator();
    const [bytes] = raw(client(ca)) as [Uint8Array];
    const [first, again] = [bytes, Uint8Array.from(bytes)].map((copy) =>
      authenticator.authenticate(fakeRequest({ certificates: [copy] })),
    );
    expect(await again).toBe(await first);
  });

  it('that was refused is accepted once it becomes valid', async () => {
    let time = now;
    const authenticator = newAuthenticator(() => time);
    const request = fakeRequest({ certificates: raw(client(ca, { notBefore: new Date('2026-06-01T00:00:05Z') })) });
    await expect(authenticator.authenticate(request)).rejects.toThrow('not yet valid');
    time = new Date('2026-06-01T00:00:11Z');
    expect((await authenticator.authenticate(request))?.user.username).toBe('carol');
  });

  it('costs a bounded number of signature checks, however many intermediates are sent with it', async () => {
    // CAs with the same name and key that sign each other: the number of possible chains is unlimited.
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const loop = Array.from({ length: 60 }, () => {
      const certificate = issueCertificate({ commonName: 'loop', isCA: true, ...validity }, key.publicKey, {
        key: key.privateKey,
      });
      return { ...ca, certificate, key: key.privateKey };
    });
    await expect(authenticate(client(loop[0]), ...loop)).rejects.toThrow(unknown);
  });
});
