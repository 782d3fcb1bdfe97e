import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derInteger, derNull, derOid, derSequence, derSet, derUtf8String, toHex, X509Error } from '../der/index.ts';
import { type CertificateRequest, encodePublicKey, parseCertificateRequest, parsePkixPublicKey } from './index.ts';
import { mutated } from './mutations.test-data.ts';
import { alternativeNames, extensions, type KeyName, keyPairs, requestOf, spkiOf } from './samples.test-data.ts';

const keyNames = Object.keys(keyPairs) as KeyName[];
const samples = [...keyNames.map((key) => requestOf({ key })), requestOf({ requested: [] })];
const keys = keyNames.map((name) => spkiOf(keyPairs[name].publicKey));

function readOrRefuse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(X509Error);
    return undefined;
  }
}

describe('a certificate request', () => {
  it('has all its fields', () => {
    const request = parseCertificateRequest(requestOf({ requested: [extensions.keyUsage, alternativeNames] }));
    expect(request).toMatchObject({
      dnsNames: ['a.example', '*.b.example'],
      emailAddresses: ['a@b.example'],
      uris: ['spiffe://x/y'],
      signatureAlgorithm: { oid: '1.2.840.10045.4.3.2' },
    });
    expect([request.subject.commonName, request.subject.organizations]).toEqual(['last', ['Würfel', 'café']]);
    expect(toHex(request.publicKeyInfo)).toBe(toHex(spkiOf(keyPairs['P-256'].publicKey)));
  });

  it('may request no extensions', () => {
    expect(parseCertificateRequest(requestOf({ key: 'Ed25519', requested: [] })).dnsNames).toEqual([]);
  });

  it('ignores attributes of the name that are not strings', () => {
    const attribute = (value: Uint8Array) => derSet(derSequence(derOid('2.5.4.3'), value));
    const subject = derSequence(attribute(derUtf8String('jane')), attribute(derInteger(Uint8Array.of(5))));
    const request = parseCertificateRequest(requestOf({ subject }));
    expect(request.subject.commonName).toBe('jane');
  });

  it.each([
    [
      'with a duplicate extension',
      () => requestOf({ requested: [extensions.keyUsage, extensions.keyUsage] }),
      'x509: certificate request contains duplicate requested extensions',
    ],
    ['with trailing data', () => Buffer.concat([requestOf(), Uint8Array.of(0)]), 'asn1: syntax error: trailing data'],
    ['that is truncated', () => requestOf().subarray(0, 100), 'asn1: syntax error: data truncated'],
    ['that is empty', () => new Uint8Array(), 'asn1: syntax error: sequence truncated'],
    [
      'of another form',
      () => derSequence(derNull),
      /^asn1: structure error: tags don't match \(16 vs \{class:0 tag:5 /,
    ],
    ['that is too long', () => new Uint8Array(128 * 1024 + 1), 'asn1: structure error: length too large'],
  ])('is refused: one %s', (_, der, problem) => {
    expect(() => parseCertificateRequest(der())).toThrow(problem);
  });
});

describe('a mutated request or key', () => {
  it('is parsed or refused with X509Error', () => {
    fc.assert(
      fc.property(fc.oneof(mutated(samples), fc.uint8Array({ maxLength: 300 })), (der) => {
        readOrRefuse(() => parseCertificateRequest(der));
      }),
      { numRuns: 1500 },
    );
  });

  it('is the same key after encoding it again', () => {
    fc.assert(
      fc.property(mutated(keys), (der) => {
        const key = readOrRefuse(() => parsePkixPublicKey(der));
        if (key && key.type !== 'Other') expect(parsePkixPublicKey(encodePublicKey(key))).toEqual(key);
      }),
      { numRuns: 1000 },
    );
  });
});

const program = process.env.OPENSSL ?? 'openssl';

/**
 * Returns the output of `openssl req` with the subject and the alternative names of a request; undefined when it cannot read the request.
 */
function openssl(der: Uint8Array): string | undefined {
  const options = ['req', '-inform', 'DER', '-noout', '-subject', '-text', '-nameopt', 'RFC2253,-esc_msb,utf8'];
  try {
    return execFileSync(program, options, { input: der, stdio: ['pipe', 'pipe', 'ignore'] }).toString();
  } catch {
    return undefined;
  }
}

const describeNames = ({ dnsNames, emailAddresses }: CertificateRequest): string[] => [
  ...dnsNames.map((name) => `DNS:${name}`),
  ...emailAddresses.map((address) => `email:${address}`),
];

it.skipIf(openssl(requestOf()) === undefined)('OpenSSL reads what ours reads, with the same names', () => {
  fc.assert(
    fc.property(mutated(samples), (der) => {
      const ours = readOrRefuse(() => parseCertificateRequest(der));
      if (!ours) return;
      const text = openssl(der);
      expect(text).toBeDefined();
      for (const name of describeNames(ours)) expect(text).toContain(name);
    }),
    { numRuns: 60 },
  );
});
