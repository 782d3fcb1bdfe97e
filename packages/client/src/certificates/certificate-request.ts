import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';
import { bits, element, elements, octets, oid, sequence, set, utf8 } from './der.ts';

/** Who the certificate is to be for. */
export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

const commonName = '2.5.4.3';
const organization = '2.5.4.10';
const subjectAlternativeName = '2.5.29.17';
const extensionRequest = '1.2.840.113549.1.9.14';

/** A new key (ECDSA, P-256). */
export function generateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** PEM in the form that Go's tools write and read. */
export function exportKey(key: KeyObject): string {
  return key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8', format: 'pem' }).toString();
}

/** A request (PKCS #10) for a certificate for the key, PEM. Throws for keys and names that it cannot write. */
export function createCertificateRequest(template: CertificateTemplate, key: KeyObject): string {
  const body = sequence(
    element(0x02, Buffer.of(0)),
    subject(template),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    element(0xa0, ...attributes(template)),
  );
  const der = sequence(body, signatureAlgorithm(key), bits(sign('sha256', body, key)));
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n');
}

function subject({ commonName: name, organizations = [] }: CertificateTemplate): Uint8Array {
  const attribute = (type: string, value: string) => set(sequence(oid(type), utf8(value)));
  return sequence(...organizations.map((one) => attribute(organization, one)), attribute(commonName, name));
}

function attributes(template: CertificateTemplate): Uint8Array[] {
  const extension = subjectAlternativeNames(template);
  return extension ? [sequence(oid(extensionRequest), set(sequence(extension)))] : [];
}

/** The extension with all names but the subject; undefined when there are none. */
export function subjectAlternativeNames(template: CertificateTemplate): Uint8Array | undefined {
  const { dnsNames = [], ipAddresses = [] } = template;
  const names = [
    ...dnsNames.map((name) => element(0x82, Buffer.from(name, 'ascii'))),
    ...ipAddresses.map((address) => element(0x87, addressBytes(address))),
  ];
  return names.length > 0 ? sequence(oid(subjectAlternativeName), octets(sequence(...names))) : undefined;
}

function addressBytes(address: string): Uint8Array {
  const parsed = parseIPSloppy(address);
  if (!parsed) throw new Error(`${JSON.stringify(address)} is no IP address`);
  return isIPv4(parsed.bytes) ? parsed.bytes.subarray(12) : parsed.bytes;
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Uint8Array {
  if (asymmetricKeyType === 'ec') return sequence(oid('1.2.840.10045.4.3.2'));
  if (asymmetricKeyType === 'rsa') return sequence(oid('1.2.840.113549.1.1.11'), element(0x05));
  throw new Error(`a key of type ${asymmetricKeyType} cannot sign a certificate request: it must be ECDSA or RSA`);
}

/**
 * Why a request in the cluster cannot be used in place of ours, in client-go's words; undefined when it can: it is for the
 * same subject and signed by our key.
 */
export function incompatibility(theirs: string, ours: string, key: KeyObject): string | undefined {
  const found = readRequest(theirs);
  if (!found) return 'unable to parse new csr: PEM block type must be CERTIFICATE REQUEST';
  const own = readRequest(ours);
  if (found.subject !== own?.subject) return `csr subjects differ: new: ${found.subject}, orig: ${own?.subject}`;
  if (!verify('sha256', found.body, createPublicKey(key), found.signature))
    return 'error validating signature new CSR against old key: x509: ECDSA verification failure';
  return undefined;
}

interface ReadRequest {
  /** The attributes of the name as `identifier=value`, sorted, because there are several ways to write one name. */
  readonly subject: string;
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
}

function readRequest(pem: string): ReadRequest | undefined {
  const match = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE REQUEST-----/.exec(pem);
  if (!match) return undefined;
  try {
    const [outer] = elements(Buffer.from(match[1]!, 'base64'));
    const [body, , signature] = elements(outer!.content);
    const [, name] = elements(body!.content);
    const values = elements(name!.content).flatMap(({ content }) =>
      elements(content).map((pair) => {
        const [type, value] = elements(pair.content);
        return `${hex(type!.content)}=${Buffer.from(value!.content).toString()}`;
      }),
    );
    return { subject: values.sort().join(','), body: body!.raw, signature: signature!.content.subarray(1) };
  } catch {
    return undefined;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
