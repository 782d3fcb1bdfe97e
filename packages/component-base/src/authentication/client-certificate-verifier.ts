import { createHash } from 'node:crypto';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Certificate, parseCertificate } from '@coxswain/client/x509';
import type { CertificateAuthorities, CertificatePool, VerifiedChain } from './certificate-pool.ts';

/** A certificate that an authority of the pool vouches for, with what was made of it. */
interface Verified<T> {
  readonly chain: VerifiedChain;
  readonly value: T;
}

interface Refused {
  readonly error: unknown;
  readonly until: number;
}

const maxRemembered = 1024;
const refusalTtlMs = 10_000;

/** More than these, of what a client sends along, are not looked at. */
const maxIntermediates = 10;

/**
 * Verifies the certificates of connections and remembers, for those that are good, what was made of them: by the very
 * bytes that the connection holds, so that its next request costs a lookup, and by their hash for the next connection.
 * It is checked each time that the chain is valid now. Refusals are remembered for the connection, and briefly, since a
 * certificate may only become valid: those of a front proxy and those of clients come by one connection each, and are
 * shown to the verifiers of both. Nothing is remembered that other authorities have said.
 */
export class ClientCertificateVerifier<T> {
  readonly #authorities: CertificateAuthorities;
  readonly #now: () => Date;
  readonly #make: (certificate: Certificate, fingerprint: string) => T;
  /** Whom everything that is remembered is from. */
  #pool: CertificatePool;
  #byBytes = new WeakMap<Uint8Array, Verified<T>>();
  #refused = new WeakMap<Uint8Array, Refused>();
  /** The oldest first. */
  readonly #byFingerprint = new Map<string, Verified<T>>();

  constructor(
    authorities: CertificateAuthorities,
    now: () => Date,
    make: (certificate: Certificate, fingerprint: string) => T,
  ) {
    this.#authorities = authorities;
    this.#pool = authorities.current;
    this.#now = now;
    this.#make = make;
  }

  /** What was made of the first certificate; undefined when there is none. Throws an Error when it is not good. */
  verify(certificates: readonly Uint8Array[]): T | undefined {
    const [bytes] = certificates;
    if (!bytes) return undefined;
    if (this.#authorities.current !== this.#pool) this.#forget();
    const now = this.#now();
    const known = this.#byBytes.get(bytes);
    if (known && isValidAt(known.chain, now)) return known.value;
    const refused = this.#refused.get(bytes);
    if (refused && now.getTime() < refused.until) throw refused.error;
    try {
      const verified = this.#lookUp(certificates, bytes, now);
      this.#byBytes.set(bytes, verified);
      return verified.value;
    } catch (error) {
      this.#refused.set(bytes, { error, until: now.getTime() + refusalTtlMs });
      throw error;
    }
  }

  #forget(): void {
    this.#pool = this.#authorities.current;
    this.#byBytes = new WeakMap();
    this.#refused = new WeakMap();
    this.#byFingerprint.clear();
  }

  #lookUp(certificates: readonly Uint8Array[], bytes: Uint8Array, now: Date): Verified<T> {
    const fingerprint = createHash('sha256').update(bytes).digest('hex');
    const known = this.#byFingerprint.get(fingerprint);
    if (known && isValidAt(known.chain, now)) return known;
    const verified = this.#verifyAnew(certificates, bytes, fingerprint, now);
    this.#remember(fingerprint, verified);
    return verified;
  }

  #verifyAnew(certificates: readonly Uint8Array[], bytes: Uint8Array, fingerprint: string, now: Date): Verified<T> {
    const certificate = parseCertificate(bytes);
    const intermediates = certificates.slice(1, 1 + maxIntermediates).map(parseCertificate);
    let chain: VerifiedChain;
    try {
      chain = this.#pool.verifyClient(certificate, intermediates, now);
    } catch (cause) {
      const why = messageOf(cause);
      throw new Error(`verifying certificate ${identifier(certificate)} failed: ${why}`, { cause });
    }
    return { chain, value: this.#make(certificate, fingerprint) };
  }

  #remember(fingerprint: string, verified: Verified<T>): void {
    this.#byFingerprint.delete(fingerprint);
    for (const oldest of this.#byFingerprint.keys()) {
      if (this.#byFingerprint.size < maxRemembered) break;
      this.#byFingerprint.delete(oldest);
    }
    this.#byFingerprint.set(fingerprint, verified);
  }
}

const isValidAt = ({ notBefore, notAfter }: VerifiedChain, now: Date): boolean => now >= notBefore && now <= notAfter;

const colonHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(':');

const identifier = ({ serialNumber, subjectKeyId, authorityKeyId }: Certificate): string =>
  `SN=${serialNumber}, SKID=${colonHex(subjectKeyId)}, AKID=${colonHex(authorityKeyId)}`;
