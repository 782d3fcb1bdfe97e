import type { KeyObject } from 'node:crypto';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import {
  type Certificate,
  type CertificateTemplate,
  issueKeyPair,
  type KeyPair,
  type KeyPairFiles,
  pairProblem,
  validityProblem,
} from '@coxswain/client/x509';
import { readKeyPair, writeKeyPair } from './key-pair-files.ts';

const day = 24 * 60 * 60 * 1000;
const year = 365 * day;
/** Certificates are renewed this long before they expire. */
const renewal = 30 * day;

/** The template of a certificate that we issue, without its validity. */
export type LeafTemplate = Omit<CertificateTemplate, 'notBefore' | 'notAfter' | 'isCA'>;

/**
 * A CA that issues certificates for a directory. Without its key, which then is kept by the user, existing certificates
 * are used while they are valid, and no new ones can be issued.
 */
export class CertificateAuthority {
  readonly certificate: Certificate;
  readonly certificatePem: string;
  /** Undefined when only the certificate is there. */
  readonly key: KeyObject | undefined;
  readonly #keyFile: string;
  readonly #now: () => Date;

  private constructor(
    certificate: Certificate,
    pem: string,
    key: KeyObject | undefined,
    file: string,
    now: () => Date,
  ) {
    this.certificate = certificate;
    this.certificatePem = pem;
    this.key = key;
    this.#keyFile = file;
    this.#now = now;
  }

  /**
   * Loads the CA of these files. When the certificate is missing, it is created, with the existing key if there is one.
   * An existing CA is never replaced, since clients that trust it would no longer trust the server. Throws an Error
   * that states the problem and how to solve it.
   */
  static async ensure(
    files: KeyPairFiles,
    commonName: string,
    now: () => Date,
    logger: Logger,
  ): Promise<CertificateAuthority> {
    const remedy = `remove ${files.certificateFile} and ${files.keyFile} to create a new CA`;
    const { certificate, certificatePem, key } = (await readOrAdvise(files, remedy)) ?? {};
    if (!certificate || certificatePem === undefined) {
      const template = { commonName, dnsNames: [commonName], isCA: true, ...validity(now(), 10 * year) };
      const pair = issueKeyPair(template, undefined, key);
      await writeKeyPair(files, pair);
      logger.info('Generated certificate authority', { file: files.certificateFile });
      return new CertificateAuthority(pair.certificate, pair.certificatePem, pair.key, files.keyFile, now);
    }
    const problem =
      (certificate.isCA === true ? undefined : 'the certificate is not a CA certificate') ??
      (key && !certificate.x509.checkPrivateKey(key)
        ? `${files.keyFile} is the key of another certificate`
        : undefined) ??
      validityProblem(certificate, now());
    if (problem) throw new Error(`${files.certificateFile}: ${problem}; ${remedy}`);
    return new CertificateAuthority(certificate, certificatePem, key, files.keyFile, now);
  }

  /**
   * Loads the key pair of these files. Issues it when it is missing or, if this CA issued it, not valid any more: it
   * expires soon, its key is another one, a name is missing, or the subject differs. Throws an Error for an invalid
   * certificate of another CA.
   */
  async ensureLeaf(files: KeyPairFiles, template: LeafTemplate, logger: Logger): Promise<KeyPair> {
    const now = this.#now();
    const remedy = `remove ${files.certificateFile} and ${files.keyFile} to issue a new certificate`;
    const { certificate, certificatePem, key, keyPem } = (await readOrAdvise(files, remedy)) ?? {};
    if (!certificate || certificatePem === undefined)
      return this.#issue(files, template, 'it was missing', logger, key);
    // With our name as issuer but another signature, it is from an earlier CA.
    const isOurs = this.key !== undefined && Buffer.compare(certificate.issuer.raw, this.certificate.subject.raw) === 0;
    if (!key || keyPem === undefined) {
      if (isOurs) return this.#issue(files, template, 'its key was missing', logger);
      throw new Error(`${files.certificateFile}: its private key ${files.keyFile} is missing`);
    }
    const pair: KeyPair = { certificate, certificatePem, key, keyPem };
    const isEnding = (): string | undefined => validityProblem(certificate, new Date(now.getTime() + renewal));
    const problem = pairProblem(certificate, key, now) ?? (isOurs ? isEnding() : undefined);
    const missing = missingName(certificate, template);
    if (!isOurs) {
      if (problem) throw new Error(`${files.certificateFile}: ${problem}`);
      if (missing)
        logger.info('Certificate is not from our CA and is used unchanged', {
          file: files.certificateFile,
          problem: missing,
        });
      return pair;
    }
    const foreign = certificate.x509.verify(this.certificate.x509.publicKey)
      ? undefined
      : 'it was signed by another CA';
    const reason = foreign ?? problem ?? missing ?? otherSubject(certificate, template);
    return reason ? this.#issue(files, template, reason, logger) : pair;
  }

  async #issue(
    files: KeyPairFiles,
    template: LeafTemplate,
    reason: string,
    logger: Logger,
    key?: KeyObject,
  ): Promise<KeyPair> {
    if (!this.key)
      throw new Error(
        `${files.certificateFile} cannot be issued (${reason}): the authority's key ${this.#keyFile} is missing`,
      );
    const issuer = { certificate: this.certificate, key: this.key };
    const { notBefore, notAfter } = validity(this.#now(), year);
    const until = notAfter < this.certificate.notAfter ? notAfter : this.certificate.notAfter;
    const pair = issueKeyPair({ ...template, notBefore, notAfter: until }, issuer, key);
    await writeKeyPair(files, pair);
    logger.info('Issued certificate', { file: files.certificateFile, reason });
    return pair;
  }
}

/** Reads the files without validation. Throws an Error that names the unreadable file and the remedy. */
async function readOrAdvise(files: KeyPairFiles, remedy: string): ReturnType<typeof readKeyPair> {
  try {
    return await readKeyPair(files);
  } catch (cause) {
    throw new Error(`${messageOf(cause)}; ${remedy}`, { cause });
  }
}

/** Starts five minutes early, for clients whose clocks are slow. */
const validity = (now: Date, length: number): Pick<CertificateTemplate, 'notBefore' | 'notAfter'> => ({
  notBefore: new Date(now.getTime() - 5 * 60 * 1000),
  notAfter: new Date(now.getTime() + length),
});

/** The reason to issue a certificate again when its user or groups differ. */
function otherSubject({ subject }: Certificate, { commonName, organizations = [] }: LeafTemplate): string | undefined {
  const isSame = subject.commonName === commonName && subject.organizations.join('\n') === organizations.join('\n');
  return isSame ? undefined : 'it was for another subject';
}

/** Reports the first name that is missing in the certificate. */
function missingName({ x509 }: Certificate, { dnsNames = [], ipAddresses = [] }: LeafTemplate): string | undefined {
  const name =
    dnsNames.find((dnsName) => x509.checkHost(dnsName) === undefined) ??
    ipAddresses.find((address) => x509.checkIP(address) === undefined);
  return name === undefined ? undefined : `it lacked the name ${name}`;
}
