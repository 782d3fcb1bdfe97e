import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  derBitString,
  derContext,
  derElement,
  derInteger,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derTags,
  derTime,
  derTrue,
  derUtf8String,
} from '../der/index.ts';

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const ec = (namedCurve: string): KeyPair => generateKeyPairSync('ec', { namedCurve });

/** A key pair for each algorithm of certificates' keys. */
export const keyPairs = {
  'P-224': ec('P-224'),
  'P-256': ec('P-256'),
  'P-384': ec('P-384'),
  'P-521': ec('P-521'),
  RSA: generateKeyPairSync('rsa', { modulusLength: 1024 }) as KeyPair,
  Ed25519: generateKeyPairSync('ed25519') as KeyPair,
} as const satisfies Readonly<Record<string, KeyPair>>;

export type KeyName = keyof typeof keyPairs;

export const spkiOf = (key: KeyObject): Uint8Array =>
  new Uint8Array(key.export({ type: 'spki', format: 'der' }).subarray());

/** Returns the signature algorithm of a key, with SHA-256 where it takes a hash. */
function algorithmOf(name: KeyName): Uint8Array {
  if (name === 'RSA') return derSequence(derOid('1.2.840.113549.1.1.11'), derNull);
  return derSequence(derOid(name === 'Ed25519' ? '1.3.101.112' : '1.2.840.10045.4.3.2'));
}

/** Returns the body with its signature, as in certificates and requests. */
export function signedBy(name: KeyName, body: Uint8Array): Uint8Array {
  const signature = sign(name === 'Ed25519' ? null : 'sha256', body, keyPairs[name].privateKey);
  return derSequence(body, algorithmOf(name), derBitString(signature));
}

const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const attribute = (oid: string, value: Uint8Array): Uint8Array => derSet(derSequence(derOid(oid), value));

/** A name with every type of string. */
export const variedName = derSequence(
  attribute('2.5.4.6', derElement(0x13, latin('XX'))),
  attribute('2.5.4.10', derUtf8String('Würfel')),
  attribute('2.5.4.10', derElement(0x14, latin('caf\xe9'))),
  attribute('2.5.4.11', derElement(0x1e, Uint8Array.of(0x04, 0x16, 0x00, 0x41))),
  attribute('2.5.4.5', derElement(0x12, latin('12 34'))),
  attribute('0.9.2342.19200300.100.1.25', derElement(0x16, latin('example'))),
  derSet(
    derSequence(derOid('2.5.4.3'), derUtf8String('first')),
    derSequence(derOid('1.3.6.1.4.1.57683.2'), derUtf8String('uid')),
  ),
  attribute('2.5.4.3', derUtf8String('last')),
);

export const extension = (oid: string, value: Uint8Array, critical = false): Uint8Array =>
  derSequence(derOid(oid), ...(critical ? [derTrue] : []), derOctetString(value));

export const alternativeNames = extension(
  '2.5.29.17',
  derSequence(
    derElement(0x82, latin('a.example')),
    derElement(0x82, latin('*.b.example')),
    derElement(0x81, latin('a@b.example')),
    derElement(0x86, latin('spiffe://x/y')),
    derElement(0x87, Uint8Array.of(10, 0, 0, 1)),
    derElement(0x87, Uint8Array.of(0xfd, ...new Array<number>(14).fill(0), 1)),
    derElement(0x88, Uint8Array.of(0x2a, 0x03)),
  ),
);

export const extensions = {
  authority: extension('2.5.29.19', derSequence(derTrue, derInteger(Uint8Array.of(2))), true),
  noAuthority: extension('2.5.29.19', derSequence(), true),
  keyUsage: extension('2.5.29.15', derBitString(Uint8Array.of(0xa6), 1), true),
  extendedKeyUsage: extension('2.5.29.37', derSequence(derOid('1.3.6.1.5.5.7.3.2'), derOid('1.3.6.1.5.5.7.3.1'))),
  subjectKeyId: extension('2.5.29.14', derOctetString(Uint8Array.of(1, 2, 3))),
  authorityKeyId: extension('2.5.29.35', derSequence(derElement(0x80, Uint8Array.of(4, 5, 6)))),
  nameConstraints: extension(
    '2.5.29.30',
    derSequence(derContext(0, derSequence(derElement(0x82, latin('example'))))),
    true,
  ),
  unknown: extension('1.2.3.4', derNull),
  unknownCritical: extension('1.2.3.4', derNull, true),
} as const;

export interface CertificateParts {
  readonly key?: KeyName;
  /** Counted from 1. */
  readonly version?: number;
  readonly serialNumber?: Uint8Array;
  readonly subject?: Uint8Array;
  readonly validity?: Uint8Array;
  readonly publicKeyInfo?: Uint8Array;
  readonly extensions?: readonly Uint8Array[];
}

const validity = derSequence(derTime(new Date('2026-01-01T00:00:00Z')), derTime(new Date('2060-01-01T00:00:00Z')));

/** A certificate for a key, signed by that key. */
export function certificateOf(parts: CertificateParts = {}): Uint8Array {
  const { key = 'P-256', version = 3, subject = variedName } = parts;
  const body = derSequence(
    ...(version > 1 ? [derContext(0, derInteger(Uint8Array.of(version - 1)))] : []),
    derElement(derTags.integer, parts.serialNumber ?? Uint8Array.of(0x4a, 0xff)),
    algorithmOf(key),
    subject,
    parts.validity ?? validity,
    subject,
    parts.publicKeyInfo ?? spkiOf(keyPairs[key].publicKey),
    ...(version > 2 && parts.extensions ? [derContext(3, derSequence(...parts.extensions))] : []),
  );
  return signedBy(key, body);
}

export interface RequestParts {
  readonly key?: KeyName;
  readonly subject?: Uint8Array;
  /** The extensions that are requested. */
  readonly requested?: readonly Uint8Array[];
}

/** A certificate request. */
export function requestOf(parts: RequestParts = {}): Uint8Array {
  const { key = 'P-256', subject = variedName, requested = [alternativeNames] } = parts;
  const attributes =
    requested.length > 0 ? [derSequence(derOid('1.2.840.113549.1.9.14'), derSet(derSequence(...requested)))] : [];
  const version = derInteger(Uint8Array.of(0));
  return signedBy(key, derSequence(version, subject, spkiOf(keyPairs[key].publicKey), derContext(0, ...attributes)));
}
