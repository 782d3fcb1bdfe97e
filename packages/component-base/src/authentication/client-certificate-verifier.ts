import { createHash } from 'node:crypto';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Certificate, parseCertificate } from '@coxswain/client/x509';
import type { CertificateAuthorities, CertificatePool, VerifiedChain } from './certificate-pool.ts';

/** A certificate that was verified against the pool, and the value that was made from it. */
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

/** Limit on the intermediate certificates of a client that are considered. */
const maxIntermediates = 10;

/**
 * Verifies the client certificates of connections and caches the value made from each valid one. The cache has two
 * levels: by the connection's own byte array, so that further requests of a connection cost one lookup, and by SHA-256
 * fingerprint for further connections. A cached chain is checked against the current time on each use. Refusals are
 * cached by byte array and only for ten seconds, since a certificate may still become valid. They are cached because
 * each connection is offered both to the verifier of front proxies and to the one of clients, so one of them usually
 * refuses. When the pool changes, all caches are cleared.
 */
export class ClientCertificateVerifier<T> {
  readonly #authorities: CertificateAuthorities;
  readonly #now: () => Date;
  readonly #make: (certificate: Certificate, fingerprint: string) => T;
  /** The pool that all cached results come from. */
  #pool: CertificatePool;
  #byBytes = new WeakMap<Uint8Array, Verified<T>>();
  #refused = new WeakMap<Uint8Array, Refused>();
  /** In insertion order: the first entry is the oldest. */
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

  /**
   * Returns the value made from the first certificate; undefined when there is none. Throws an Error when it cannot be
   * verified.
   */
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
