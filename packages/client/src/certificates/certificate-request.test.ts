import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type DerElement, DerReader, pemBlocks } from '@coxswain/apimachinery/der';
import { describe, expect, it } from 'vitest';
import { readPrivateKey } from '../x509/pem-key-pair.ts';
import { requestName } from './bootstrap.ts';
import { createCertificateRequest, exportKey, generateKey, incompatibility } from './certificate-request.ts';

const key = generateKey();
const template = { commonName: 'system:node:a', organizations: ['system:nodes'] };

/** Up to four consecutive DER elements. */
function elements(bytes: Uint8Array): DerElement[] {
  const reader = new DerReader(bytes);
  return Array.from({ length: 4 }, () => reader.next()).filter((found) => found !== undefined);
}

describe('createCertificateRequest', () => {
  it('encodes subject and alternative names as certificates do', () => {
    const dnsNames = ['a.example'];
    const ipAddresses = ['10.0.0.1', 'fd00::1'];
    const pem = createCertificateRequest({ ...template, dnsNames, ipAddresses }, key);
    const [block] = pemBlocks(pem);
    const [outer] = elements(block!.bytes);
    const [body, algorithm] = elements(outer!.content);
    const [version, subject, , attributes] = elements(body!.content);
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    const text = (value: string) => hex(Buffer.from(value));
    expect(hex(version!.raw)).toBe('020100');
    expect(hex(subject!.content)).toContain(`060355040a0c0c${text('system:nodes')}`);
    expect(hex(subject!.content)).toContain(`06035504030c0d${text('system:node:a')}`);
    expect(attributes?.tag).toBe(0xa0);
    expect(hex(attributes!.content)).toContain(`8209${text('a.example')}87040a0000018710fd00${'00'.repeat(13)}01`);
    expect(hex(algorithm!.content)).toBe('06082a8648ce3d040302');
  });

  it('throws for unsupported keys and invalid IP addresses', () => {
    const ed25519 = generateKeyPairSync('ed25519').privateKey;
    expect(() => createCertificateRequest(template, ed25519)).toThrow('a key of type ed25519 cannot sign');
    expect(() => createCertificateRequest({ ...template, ipAddresses: ['x'] }, key)).toThrow(
      '"x" is not an IP address',
    );
  });
});

describe('incompatibility', () => {
  const ours = createCertificateRequest(template, key);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

  it('is undefined for a request of the same key and subject, even with another signature', () => {
    expect(incompatibility(createCertificateRequest(template, key), ours, key)).toBeUndefined();
    const [one, two] = [createCertificateRequest(template, rsa), createCertificateRequest(template, rsa)];
    expect(incompatibility(one, two, rsa)).toBeUndefined();
  });

  it.each<[sentence: string, theirs: string, message: string]>([
    ['another subject', createCertificateRequest({ commonName: 'system:node:b' }, key), 'csr subjects differ'],
    [
      'another key',
      createCertificateRequest(template, generateKey()),
      'error validating signature new CSR against old key',
    ],
    ['text that is not a request', 'x', 'unable to parse new csr: PEM block type must be CERTIFICATE REQUEST'],
    ['a truncated request', ours.replace(/\n.{64}\n/, '\n'), 'unable to parse new csr'],
  ])('is reported for %s', (_, theirs, message) => {
    expect(incompatibility(theirs, ours, key)).toContain(message);
  });
});

it('names requests as kubelets do', () => {
  // A kubelet's public key and the name that it gave its request.
  const publicKey = createPublicKey(`-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEubDlB87ANiGu6DfjxZ/tfEKkW936
WejlQwpbgmDK1qr5AtRl8rpxye50K5aSwTfTzHLZtDB4cH4iwe69GERr1Q==
-----END PUBLIC KEY-----
`);
  const name = 'node-csr-9qnmUY7E62jyWeil1B0Y7p9ixeT4GhD6gqoQi1uYiHI';
  expect(requestName(publicKey, template, ['digital signature', 'client auth'])).toBe(name);
});

it('exports keys in the PEM form that Go writes', () => {
  const pem = exportKey(key);
  expect(pem).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  expect(readPrivateKey(pem)?.equals(key)).toBe(true);
});
