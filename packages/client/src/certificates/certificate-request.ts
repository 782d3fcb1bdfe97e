import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import {
  DerReader,
  derBitString,
  derContext,
  derInteger,
  derOid,
  derSequence,
  derSet,
  derTags,
  pemBlocks,
} from '@coxswain/apimachinery/der';
import { alternativeNames, derSubject, signatureAlgorithm } from '../x509/issue-certificate.ts';

/** Who the certificate is to be for. */
export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

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
  const names = alternativeNames(template);
  const body = derSequence(
    derInteger(Uint8Array.of(0)),
    derSubject(template),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    derContext(0, ...(names ? [derSequence(derOid(extensionRequest), derSet(derSequence(names)))] : [])),
  );
  const algorithm = signatureAlgorithm(key, 'a certificate request');
  const der = derSequence(body, algorithm, derBitString(sign('sha256', body, key)));
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n');
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
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return undefined;
  const { sequence, set, bitString } = derTags;
  try {
    const outer = new DerReader(block.bytes).enter(sequence, '');
    const body = outer.takeOr(sequence, '');
    outer.takeOr(sequence, '');
    const signature = outer.takeOr(bitString, '').content.subarray(1);
    const inner = new DerReader(body.content);
    inner.integer('');
    const values: string[] = [];
    for (const name = inner.enter(sequence, ''); !name.isEmpty; ) {
      for (const parts = name.enter(set, ''); !parts.isEmpty; ) {
        const attribute = parts.enter(sequence, '');
        values.push(`${attribute.oid('')}=${Buffer.from(attribute.next()?.content ?? []).toString()}`);
      }
    }
    return { subject: values.sort().join(','), body: body.raw, signature };
  } catch {
    return undefined;
  }
}
