import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derElement, derOctetString, derSequence, derUtf8String, toHex, X509Error } from '../der/index.ts';
import { type Certificate, encodePublicKey, parseCertificate, parseCertificates } from './index.ts';
import { mutated } from './mutations.test-data.ts';
import {
  alternativeNames,
  type CertificateParts,
  certificateOf,
  extension,
  extensions,
  type KeyName,
  keyPairs,
  spkiOf,
} from './samples.test-data.ts';

const keyNames = Object.keys(keyPairs) as KeyName[];
const everything: CertificateParts = {
  extensions: [
    alternativeNames,
    extensions.authority,
    extensions.keyUsage,
    extensions.extendedKeyUsage,
    extensions.subjectKeyId,
    extensions.authorityKeyId,
    extensions.nameConstraints,
    extensions.unknown,
  ],
};
const samples = [
  ...keyNames.map((key) => certificateOf({ key, extensions: [extensions.noAuthority] })),
  certificateOf({ version: 1 }),
  certificateOf(everything),
];

const time = (tag: number, text: string): Uint8Array => derElement(tag, Buffer.from(text, 'latin1'));
const lasting = (tag: number, text: string) => derSequence(time(tag, text), time(0x17, '491231235959Z'));

describe('a certificate', () => {
  it('has all its fields', () => {
    const certificate = parseCertificate(certificateOf(everything));
    expect(certificate).toMatchObject({
      version: 3,
      serialNumber: 0x4affn,
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date('2060-01-01T00:00:00Z'),
      isCA: true,
      maxPathLength: 2,
      keyUsage: 1 | 4 | 32 | 64,
      extendedKeyUsages: ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1'],
      dnsNames: ['a.example', '*.b.example'],
      emailAddresses: ['a@b.example'],
      uris: ['spiffe://x/y'],
      hasAlternativeNames: true,
      hasNameConstraints: true,
      hasUnhandledCriticalExtension: false,
    });
    const { subject, issuer, ipAddresses, subjectKeyId, authorityKeyId, signatureAlgorithm } = certificate;
    expect([subject.commonName, subject.organizations]).toEqual(['last', ['Würfel', 'café']]);
    expect(subject.attributes.map(({ type, value }) => `${type}=${value}`)).toEqual([
      '2.5.4.6=XX',
      '2.5.4.10=Würfel',
      '2.5.4.10=café',
      '2.5.4.11=ЖA',
      '2.5.4.5=12 34',
      '0.9.2342.19200300.100.1.25=example',
      '2.5.4.3=first',
      '1.3.6.1.4.1.57683.2=uid',
      '2.5.4.3=last',
    ]);
    expect(issuer.raw).toEqual(subject.raw);
    expect([...ipAddresses, subjectKeyId, authorityKeyId].map(toHex)).toEqual([
      '0a000001',
      `fd${'00'.repeat(14)}01`,
      '010203',
      '040506',
    ]);
    expect(signatureAlgorithm.oid).toBe('1.2.840.10045.4.3.2');
  });

  it('of version 1 has no fields of later versions', () => {
    expect(parseCertificate(certificateOf({ version: 1 }))).toMatchObject({ version: 1, keyUsage: 0 });
    expect(parseCertificate(certificateOf({ version: 1 })).isCA).toBeUndefined();
  });

  it.each(keyNames)('can have a key of type %s', (key) => {
    const { publicKey } = parseCertificate(certificateOf({ key }));
    expect(publicKey && publicKey.type !== 'Other' && toHex(encodePublicKey(publicKey))).toBe(
      toHex(spkiOf(keyPairs[key].publicKey)),
    );
  });

  it('has the point of its key checked by isOnCurve', () => {
    const der = certificateOf();
    expect(() => parseCertificate(der, () => false)).toThrow(new X509Error('P256 point not on curve'));
    for (const answer of [true, undefined]) expect(parseCertificate(der, () => answer).publicKey?.type).toBe('ECDSA');
  });

  it.each<[sentence: string, parts: CertificateParts, problem: string]>([
    ['with a negative serial number', { serialNumber: Uint8Array.of(0x80) }, 'negative serial number'],
    ['with a padded serial number', { serialNumber: Uint8Array.of(0, 1) }, 'malformed serial number'],
    ['with a serial number that is too long', { serialNumber: new Uint8Array(129).fill(1) }, 'malformed serial number'],
    ['of version 4', { version: 4 }, 'invalid version'],
    ['that is too long', { subject: derSequence(new Uint8Array(128 * 1024)) }, 'malformed certificate'],
    ['with an invalid time', { validity: lasting(0x17, '260230000000Z') }, 'malformed UTCTime'],
    ['with a time without a zone', { validity: lasting(0x17, '260201000000') }, 'malformed UTCTime'],
    ['with a time with an offset of zero', { validity: lasting(0x17, '260201000000+0000') }, 'malformed UTCTime'],
    ['with a time with fractions', { validity: lasting(0x18, '20260201000000.5Z') }, 'malformed GeneralizedTime'],
    ['with a time of a string type', { validity: lasting(0x0c, '20260201000000Z') }, 'unsupported time format'],
    [
      'with a duplicate extension',
      { extensions: [extensions.unknown, extensions.unknown] },
      'certificate contains duplicate extension with OID "1.2.3.4"',
    ],
    [
      'with a critical subject key identifier',
      { extensions: [extension('2.5.29.14', derOctetString(Uint8Array.of(1)), true)] },
      'subject key identifier incorrectly marked critical',
    ],
    ['with an invalid key usage', { extensions: [extension('2.5.29.15', derSequence())] }, 'invalid key usage'],
    [
      'with an address of five bytes',
      { extensions: [extension('2.5.29.17', derSequence(derElement(0x87, new Uint8Array(5))))] },
      'cannot parse IP address of length 5',
    ],
    [
      'with a name that is not ASCII',
      { extensions: [extension('2.5.29.17', derSequence(derElement(0x82, Uint8Array.of(0xe4))))] },
      'SAN dNSName is malformed',
    ],
  ])('is refused: one %s', (_, parts, problem) => {
    expect(() => parseCertificate(certificateOf(parts))).toThrow(new X509Error(`x509: ${problem}`));
  });

  it.each([
    ['260201000000Z', '2026-02-01T00:00:00Z'],
    ['2602010000Z', '2026-02-01T00:00:00Z'],
    ['500201000000Z', '1950-02-01T00:00:00Z'],
    ['260201000000+0130', '2026-01-31T22:30:00Z'],
    ['260201000000-2400', '2026-02-02T00:00:00Z'],
  ])('with the time %s is valid from %s on', (text, date) => {
    expect(parseCertificate(certificateOf({ validity: lasting(0x17, text) })).notBefore).toEqual(new Date(date));
  });

  it.each([
    [true, extensions.unknownCritical],
    [false, extensions.unknown],
    [true, extension('2.5.29.17', derSequence(), true)],
    [false, extension('2.5.29.17', derSequence())],
  ])('has an unhandled critical extension: %s', (expected, said) => {
    expect(parseCertificate(certificateOf({ extensions: [said] })).hasUnhandledCriticalExtension).toBe(expected);
  });

  it('keeps a byte order mark in a name, as Go does', () => {
    const subject = derSequence(
      derElement(0x31, derSequence(Uint8Array.of(6, 3, 0x55, 4, 3), derUtf8String('\ufeffx'))),
    );
    expect(parseCertificate(certificateOf({ subject })).subject.commonName).toBe('\ufeffx');
  });
});

it('certificates may be concatenated', () => {
  const [a, b] = [certificateOf({ version: 1 }), certificateOf()];
  const both = Buffer.concat([a, b]);
  expect(parseCertificates(both).map(({ version }) => version)).toEqual([1, 3]);
  expect(parseCertificates(new Uint8Array())).toEqual([]);
  expect(() => parseCertificate(both)).toThrow(new X509Error('x509: trailing data'));
});

/** Returns OpenSSL's output for the certificate; undefined when OpenSSL refuses it. */
function opensslCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

function tryParse(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der);
  } catch (error) {
    expect(error).toBeInstanceOf(X509Error);
    return undefined;
  }
}

describe('a mutated certificate', () => {
  const attributeNames: Readonly<Record<string, string>> = { CN: '2.5.4.3', O: '2.5.4.10', serialNumber: '2.5.4.5' };

  it('is parsed as by OpenSSL, or refused', () => {
    let accepted = 0;
    fc.assert(
      fc.property(mutated(samples), (der) => {
        const ours = tryParse(der);
        if (!ours) return;
        const theirs = opensslCertificate(der);
        expect(theirs).toBeDefined();
        if (!theirs) return;
        accepted++;
        expect(ours.serialNumber).toBe(BigInt(`0x${theirs.serialNumber}`));
        expect(ours.isCA ?? false).toBe(theirs.ca);
        const subject: object = theirs.toLegacyObject().subject;
        for (const [name, value] of Object.entries(subject)) {
          const type = attributeNames[name];
          if (type === undefined) continue;
          const values = ours.subject.attributes.filter((attribute) => attribute.type === type);
          expect(values.map((attribute) => attribute.value)).toEqual([value].flat());
        }
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it('is not parsed deeper than a certificate is nested', () => {
    let nested = derSequence();
    for (let depth = 0; depth < 4000; depth++) nested = derSequence(nested);
    const inPlaces = [{ subject: nested }, { publicKeyInfo: nested }, { validity: nested }, { extensions: [nested] }];
    for (const der of [nested, ...inPlaces.map((parts) => certificateOf(parts))])
      expect(() => parseCertificate(der)).toThrow(X509Error);
  });

  it('throws only X509Error for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void tryParse(bytes)),
      { numRuns: 1000 },
    );
  });
});
