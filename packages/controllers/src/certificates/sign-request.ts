import { createPublicKey } from 'node:crypto';
import { derSequence, derSet } from '@coxswain/apimachinery/der';
import { type CertificateRequest, type Name, requestSignatureProblem } from '@coxswain/apimachinery/x509';
import { type CertificateIssuer, issueRawCertificate, nodeSignatures, type Validity } from '@coxswain/client/x509';
import { usageBits } from './usage-bits.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** `notBefore` is this much in the past, for clients whose clocks are behind. */
const backdateMs = 5 * minuteMs;
/** The validity of certificates with a shorter lifetime is not reduced by `backdateMs` at its end. */
const shortMs = 8 * hourMs;
const shortestMs = 10 * minuteMs;

export interface SigningPolicy {
  readonly usages: readonly string[];
  /** From the request's spec. */
  readonly expirationSeconds: number | undefined;
  /** The maximum validity of a certificate. */
  readonly maxDurationMs: number;
  readonly now: number;
}

/** Returns the lifetime of a certificate for the requested seconds, if any. */
export function durationMs(expirationSeconds: number | undefined, maxDurationMs: number): number {
  if (expirationSeconds === undefined || expirationSeconds * 1000 > maxDurationMs) return maxDurationMs;
  return Math.max(expirationSeconds * 1000, shortestMs);
}

/** Returns the validity of a certificate. Throws when the authority's own certificate has expired. */
export function validityOf(lifetimeMs: number, now: number, authorityNotAfter: Date): Validity {
  const end = authorityNotAfter.getTime();
  const notBefore = now - backdateMs;
  const notAfter = Math.min(now + lifetimeMs - (lifetimeMs < shortMs ? 0 : backdateMs), end);
  if (notBefore >= end) throw new Error(`the signer has expired: NotAfter=${goTime(authorityNotAfter)}`);
  if (now >= end)
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${goTime(authorityNotAfter)}`);
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

/**
 * Returns the requested certificate as PEM. Only the subject and its alternative names are copied from the request, no
 * extensions. Throws when the request is not signed with its own key.
 */
export function signRequest(
  request: CertificateRequest,
  authority: Required<CertificateIssuer>,
  policy: SigningPolicy,
) {
  const problem = requestSignatureProblem(request, nodeSignatures);
  if (problem) throw new Error(`unable to verify certificate request signature: ${problem}`);
  const { usages, expirationSeconds, maxDurationMs, now } = policy;
  const lifetimeMs = durationMs(expirationSeconds, maxDurationMs);
  const { dnsNames, emailAddresses, ipAddresses, uris } = request;
  const template = {
    subject: knownAttributes(request.subject),
    dnsNames,
    emailAddresses,
    ipAddresses,
    uris,
    ...usageBits(usages),
    ...validityOf(lifetimeMs, now, authority.certificate.notAfter),
  };
  const publicKey = createPublicKey({ key: Buffer.from(request.publicKeyInfo), type: 'spki', format: 'der' });
  return issueRawCertificate(template, publicKey, authority).x509.toString();
}

/** C, O, OU, L, ST, STREET, POSTALCODE, CN, SERIALNUMBER. Other attributes, such as a user's uid, must not come from the request. */
const attributes: ReadonlySet<string> = new Set([6, 10, 11, 7, 8, 9, 17, 3, 5].map((last) => `2.5.4.${last}`));

/** Returns the name with only these attributes, each encoded as in the request. */
const knownAttributes = (name: Name): Uint8Array =>
  derSequence(...name.attributes.filter(({ type }) => attributes.has(type)).map(({ raw }) => derSet(raw)));

/** Example: `2026-11-15 18:44:32 +0000 UTC`. */
const goTime = (date: Date): string => date.toISOString().replace(/^(.*)T(.*)\.\d+Z$/, '$1 $2 +0000 UTC');
