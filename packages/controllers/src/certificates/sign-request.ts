import { createPublicKey } from 'node:crypto';
import { derSequence, derSet } from '@coxswain/apimachinery/der';
import { type CertificateRequest, type Name, requestSignatureProblem } from '@coxswain/apimachinery/x509';
import { type CertificateIssuer, issueRawCertificate, nodeSignatures, type Validity } from '@coxswain/client/x509';
import { usageBits } from './usage-bits.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Certificates are valid from a little before, for those whose clocks are late. */
const backdateMs = 5 * minuteMs;
/** Certificates that live shorter than this get the time that they were backdated by on top. */
const shortMs = 8 * hourMs;
const shortestMs = 10 * minuteMs;

export interface SigningPolicy {
  readonly usages: readonly string[];
  /** As the request has it. */
  readonly expirationSeconds: number | undefined;
  /** No certificate is valid for longer. */
  readonly maxDurationMs: number;
  readonly now: number;
}

/** How long a certificate is valid that is asked for with so many seconds, if any. */
export function durationMs(expirationSeconds: number | undefined, maxDurationMs: number): number {
  if (expirationSeconds === undefined || expirationSeconds * 1000 > maxDurationMs) return maxDurationMs;
  return Math.max(expirationSeconds * 1000, shortestMs);
}

/** From when until when a certificate is valid. Throws when the authority's own is not any more. */
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
 * The certificate that is asked for, PEM. It says what the request says of the subject and its names, and nothing else
 * of it: no extension is taken over. Throws when the request is not signed by its own key.
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

/** C, O, OU, L, ST, STREET, POSTALCODE, CN, SERIALNUMBER: others, such as a user's uid, are nothing to ask for. */
const attributes: ReadonlySet<string> = new Set([6, 10, 11, 7, 8, 9, 17, 3, 5].map((last) => `2.5.4.${last}`));

/** The name with those attributes that certificates have, each as it was written. */
const knownAttributes = (name: Name): Uint8Array =>
  derSequence(...name.attributes.filter(({ type }) => attributes.has(type)).map(({ raw }) => derSet(raw)));

/** `2026-11-15 18:44:32 +0000 UTC` */
const goTime = (date: Date): string => date.toISOString().replace(/^(.*)T(.*)\.\d+Z$/, '$1 $2 +0000 UTC');
