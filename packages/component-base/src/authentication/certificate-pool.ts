import { quote, timeFromDate } from '@coxswain/apimachinery';
import { type Certificate, keyUsageBits, oids, parseCertificatesPem } from '@coxswain/client/x509';

/** Upstream's limit on signature checks for one chain. */
const maxSignatureChecks = 100;

/** The period in which all certificates of a verified chain are valid. */
export interface VerifiedChain {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate pool that can change between requests, for example because its file changed. */
export interface CertificateAuthorities {
  readonly current: CertificatePool;
}

/** The certificate authorities that client certificates are verified against. */
export class CertificatePool implements CertificateAuthorities {
  readonly #roots: readonly Certificate[];

  private constructor(roots: readonly Certificate[]) {
    this.#roots = roots;
  }

  /** Returns a pool of all certificates in a PEM text. Throws an Error when there is none, or one cannot be parsed. */
  static fromPem(pem: string): CertificatePool {
    const roots = parseCertificatesPem(pem);
    if (roots.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
    return new CertificatePool(roots);
  }

  get current(): CertificatePool {
    return this;
  }

  /** The root certificates, each as PEM. */
  get pem(): readonly string[] {
    return this.#roots.map(({ x509 }) => x509.toString());
  }

  /**
   * Verifies the client certificate: builds a chain over the intermediates to a root of the pool, with all certificates
   * valid now and allowed for client authentication. Throws an Error with the message of Go's crypto/x509.
   *
   * Differs from upstream: name constraints are not evaluated. Instead, an authority that has them is accepted only for
   * certificates without subject alternative names. Certificate policies are not evaluated.
   */
  verifyClient(certificate: Certificate, intermediates: readonly Certificate[], now: Date): VerifiedChain {
    const problem = ownProblem(certificate, now);
    if (problem) throw new Error(problem);
    const search = new ChainSearch(this.#roots, intermediates, now);
    const chains = this.#roots.some((root) => sameCertificate(root, certificate))
      ? [[certificate]]
      : search.chainsFrom([certificate]);
    const usable = chains.filter(isForClients);
    if (usable.length === 0) throw new Error('x509: certificate specifies an incompatible key usage');
    const chain = usable.find((candidate) => !certificate.hasAlternativeNames || !candidate.some(hasNameConstraints));
    if (!chain)
      throw new Error(
        'x509: a root or intermediate certificate is not authorized to sign for this name: it has name constraints',
      );
    return {
      notBefore: new Date(Math.max(...chain.map(({ notBefore }) => notBefore.getTime()))),
      notAfter: new Date(Math.min(...chain.map(({ notAfter }) => notAfter.getTime()))),
    };
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const sameCertificate = (a: Certificate, b: Certificate): boolean => sameBytes(a.x509.raw, b.x509.raw);
const hasNameConstraints = (certificate: Certificate): boolean => certificate.hasNameConstraints;

/** True when every certificate of the chain that has extended key usages allows client authentication. */
const isForClients = (chain: readonly Certificate[]): boolean =>
  chain.every(
    ({ extendedKeyUsages }) =>
      extendedKeyUsages === undefined ||
      extendedKeyUsages.includes(oids.clientAuth) ||
      extendedKeyUsages.includes(oids.anyExtendedKeyUsage),
  );

function ownProblem(
  { hasUnhandledCriticalExtension, notBefore, notAfter }: Certificate,
  now: Date,
): string | undefined {
  if (hasUnhandledCriticalExtension) return 'x509: unhandled critical extension';
  const outside = now < notBefore ? `before ${timeFromDate(notBefore)}` : `after ${timeFromDate(notAfter)}`;
  return now < notBefore || now > notAfter
    ? `x509: certificate has expired or is not yet valid: current time ${timeFromDate(now)} is ${outside}`
    : undefined;
}

/**
 * Builds chains from a certificate up to a root. The limit on signature checks bounds both the work and the recursion
 * depth.
 */
class ChainSearch {
  readonly #roots: readonly Certificate[];
  readonly #intermediates: readonly Certificate[];
  readonly #now: Date;
  #signatureChecks = 0;

  constructor(roots: readonly Certificate[], intermediates: readonly Certificate[], now: Date) {
    this.#roots = roots;
    this.#intermediates = intermediates;
    this.#now = now;
  }

  /** Returns at least one chain. Throws an Error with the reason when there is none. */
  chainsFrom(chain: readonly Certificate[]): (readonly Certificate[])[] {
    const child = chain.at(-1)!;
    const chains: (readonly Certificate[])[] = [];
    let firstProblem: { readonly text: string; readonly parent: Certificate } | undefined;
    let lastError: unknown;
    const consider = (parent: Certificate, isRoot: boolean): void => {
      if (!sameBytes(parent.subject.raw, child.issuer.raw) || chain.some((other) => sameCertificate(other, parent)))
        return;
      const problem = this.#signatureProblem(child, parent);
      if (problem) {
        firstProblem ??= { text: problem, parent };
        return;
      }
      try {
        this.#checkParent(parent, chain.length - 1);
        chains.push(...(isRoot ? [[...chain, parent]] : this.chainsFrom([...chain, parent])));
      } catch (error) {
        lastError = error;
      }
    };
    for (const root of this.#roots) consider(root, true);
    for (const intermediate of this.#intermediates) consider(intermediate, false);
    if (chains.length > 0) return chains;
    if (lastError) throw lastError;
    const hint = firstProblem
      ? ` (possibly because of ${quote(firstProblem.text)} while trying to verify candidate authority certificate ${quote(nameOf(firstProblem.parent))})`
      : '';
    throw new Error(`x509: certificate signed by unknown authority${hint}`);
  }

  #signatureProblem(child: Certificate, parent: Certificate): string | undefined {
    if (++this.#signatureChecks > maxSignatureChecks)
      return 'x509: signature check attempts limit reached while verifying certificate chain';
    const maySign = parent.isCA ?? parent.version < 3;
    if (!maySign || !mayCertify(parent))
      return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
    if (!hasSafeSignature(child)) return 'x509: cannot verify signature: algorithm unimplemented';
    if (child.x509.verify(parent.x509.publicKey)) return undefined;
    return parent.x509.publicKey.asymmetricKeyType === 'rsa'
      ? 'crypto/rsa: verification error'
      : 'x509: ECDSA verification failure';
  }

  #checkParent(parent: Certificate, between: number): void {
    const problem = ownProblem(parent, this.#now);
    if (problem) throw new Error(problem);
    if (parent.maxPathLength !== undefined && between > parent.maxPathLength)
      throw new Error('x509: too many intermediates for path length constraint');
  }
}

const nameOf = ({ subject, serialNumber }: Certificate): string =>
  subject.commonName || (subject.organizations[0] ?? `serial:${serialNumber}`);

/** True when the key usage allows signing certificates. A certificate without key usage may sign. */
const mayCertify = ({ keyUsage }: Certificate): boolean => keyUsage === 0 || (keyUsage & keyUsageBits.certSign) !== 0;

/** RSA (also PSS) and ECDSA with SHA-2, and Ed25519. */
const safeSignatures: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.113549.1.1.10',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
]);

const hasSafeSignature = ({ signatureAlgorithm }: Certificate): boolean => safeSignatures.has(signatureAlgorithm.oid);
