import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseCertificate, parseCertificatesPem } from './certificate.ts';
import { issueCertificate, keyUsageBits } from './issue-certificate.ts';
import { issueKeyPair } from './key-pair.ts';

const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2060-01-01T00:00:00Z') };

describe('issueCertificate', () => {
  it.each<[sentence: string, make: () => { privateKey: KeyObject }]>([
    ['an ECDSA key', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['a larger ECDSA key', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['an RSA key', () => generateKeyPairSync('rsa', { modulusLength: 1024 })],
  ])('makes signatures with %s that OpenSSL verifies', (_, make) => {
    const { privateKey } = make();
    const publicKey = createPublicKey(privateKey);
    const ca = issueCertificate({ commonName: 'ca', isCA: true, ...validity }, publicKey, { key: privateKey });
    expect([ca.x509.ca, ca.x509.verify(publicKey), ca.x509.issuer]).toEqual([true, true, 'CN=ca']);
    const leaf = issueKeyPair({ commonName: 'x', ...validity }, { certificate: ca, key: privateKey });
    const { x509 } = leaf.certificate;
    expect(x509.verify(publicKey)).toBe(true);
    expect(x509.checkIssued(ca.x509)).toBe(true);
    expect(x509.ca).toBe(false);
    expect(leaf.certificate.authorityKeyId).toEqual(ca.subjectKeyId);
  });

  it('writes all fields of the template', () => {
    const { certificate, certificatePem, key, keyPem } = issueKeyPair({
      commonName: 'Käthe',
      organizations: ['system:masters', 'a,b\nc'],
      attributes: { '1.3.6.1.4.1.57683.2': 'uid' },
      usages: ['clientAuth', 'serverAuth'],
      dnsNames: ['a.example', '*.b.example'],
      ipAddresses: ['192.0.2.1', '2001:db8::1'],
      ...validity,
    });
    const x509 = new X509Certificate(certificatePem);
    expect(certificate.subject.commonName).toBe('Käthe');
    expect(certificate.subject.organizations).toEqual(['system:masters', 'a,b\nc']);
    expect(certificate.subject.attributes.at(-1)).toMatchObject({ type: '1.3.6.1.4.1.57683.2', value: 'uid' });
    expect(x509.subjectAltName).toBe(
      'DNS:a.example, DNS:*.b.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1',
    );
    expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
    expect([certificate.notBefore, certificate.notAfter]).toEqual([validity.notBefore, validity.notAfter]);
    expect(x509.checkPrivateKey(key)).toBe(true);
    expect(keyPem).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
    expect(certificate).toMatchObject({
      version: 3,
      isCA: false,
      keyUsage: keyUsageBits.digitalSignature,
      hasUnhandledCriticalExtension: false,
    });
  });

  it('uses a different serial number for each certificate', () => {
    const serials = Array.from(
      { length: 5 },
      () => issueKeyPair({ commonName: 'x', ...validity }).certificate.serialNumber,
    );
    expect(new Set(serials).size).toBe(5);
  });

  it.each([
    [{ dnsNames: ['müller.example'] }, '"müller.example" is not a valid name for a certificate'],
    [{ ipAddresses: ['1.2.3'] }, '"1.2.3" is not an IP address'],
  ])('throws for %j', (names, message) => {
    expect(() => issueKeyPair({ commonName: 'x', ...validity, ...names })).toThrow(new Error(message));
  });

  it('throws for other types of keys', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    expect(() => issueCertificate({ commonName: 'x', ...validity }, publicKey, { key: privateKey })).toThrow(
      'a key of type ed25519 cannot sign certificates: it must be RSA or ECDSA',
    );
  });
});

describe('parseCertificate', () => {
  it('throws for truncated and corrupted certificates', () => {
    const { raw } = issueKeyPair({ commonName: 'x', ...validity }).certificate.x509;
    for (let length = 0; length < raw.length; length += 7)
      expect(() => parseCertificate(raw.subarray(0, length))).toThrow();
    expect(() => parseCertificate(Buffer.from('hello'))).toThrow();
  });

  it('returns all certificates of a text, and skips the rest', () => {
    const [a, b] = ['a', 'b'].map((commonName) => issueKeyPair({ commonName, ...validity }));
    const text = `A comment\n${a!.certificatePem}${a!.keyPem}\n${b!.certificatePem}`;
    expect(parseCertificatesPem(text).map(({ subject }) => subject.commonName)).toEqual(['a', 'b']);
  });
});
