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
/** So long before they expire, certificates are issued anew. */
const renewal = 30 * day;

/** What was made or replaced, and why, for the log. */

/** What a certificate of ours is for; validity is added when it is issued. */
export type LeafTemplate = Omit<CertificateTemplate, 'notBefore' | 'notAfter' | 'isCA'>;

/**
 * Signs certificates for a directory. Without a key it is somebody else's: then what is there is used as long as it is
 * good, and nothing new can be made.
 */
export class CertificateAuthority {
  readonly certificate: Certificate;
  readonly certificatePem: string;
  /** Undefined when it is somebody else's. */
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
   * The authority of these files. It is made when there is no certificate, with the key that is there, if any; it is
   * never replaced: whoever trusts it would stop trusting the server. Throws an Error that says what is wrong and what to do.
   */
  static async ensure(
    files: KeyPairFiles,
    commonName: string,
    now: () => Date,
    logger: Logger,
  ): Promise<CertificateAuthority> {
    const remedy = `remove ${files.certificateFile} and ${files.keyFile} to have a new authority made`;
    const { certificate, certificatePem, key } = (await readOrAdvise(files, remedy)) ?? {};
    if (!certificate || certificatePem === undefined) {
      const template = { commonName, dnsNames: [commonName], isCA: true, ...validity(now(), 10 * year) };
      const pair = issueKeyPair(template, undefined, key);
      await writeKeyPair(files, pair);
      logger.info('Generated certificate authority', { file: files.certificateFile });
      return new CertificateAuthority(pair.certificate, pair.certificatePem, pair.key, files.keyFile, now);
    }
    const problem =
      (certificate.isCA === true ? undefined : 'the certificate is not one of an authority') ??
      (key && !certificate.x509.checkPrivateKey(key)
        ? `${files.keyFile} is the key of another certificate`
        : undefined) ??
      validityProblem(certificate, now());
    if (problem) throw new Error(`${files.certificateFile}: ${problem}; ${remedy}`);
    return new CertificateAuthority(certificate, certificatePem, key, files.keyFile, now);
  }

  /**
   * The pair of these files, issued when it is not there or, if it is ours, no longer good: it is about to expire, it is
   * for another key, it lacks a name, it is for another subject. Throws an Error for somebody else's that is no good.
   */
  async ensureLeaf(files: KeyPairFiles, template: LeafTemplate, logger: Logger): Promise<KeyPair> {
    const now = this.#now();
    const remedy = `remove ${files.certificateFile} and ${files.keyFile} to have others made`;
    const { certificate, certificatePem, key, keyPem } = (await readOrAdvise(files, remedy)) ?? {};
    if (!certificate || certificatePem === undefined)
      return this.#issue(files, template, 'it was missing', logger, key);
    // One that bears our name but not our signature is of an authority that was here before.
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
        logger.info('Certificate is not ours and is used as it is', { file: files.certificateFile, problem: missing });
      return pair;
    }
    const foreign = certificate.x509.verify(this.certificate.x509.publicKey)
      ? undefined
      : 'it was of another authority';
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

/** What is there, unjudged. Throws an Error that says which file cannot be read, and what to do. */
async function readOrAdvise(files: KeyPairFiles, remedy: string): ReturnType<typeof readKeyPair> {
  try {
    return await readKeyPair(files);
  } catch (cause) {
    throw new Error(`${messageOf(cause)}; ${remedy}`, { cause });
  }
}

/** From a little before, for those whose clocks are late. */
const validity = (now: Date, length: number): Pick<CertificateTemplate, 'notBefore' | 'notAfter'> => ({
  notBefore: new Date(now.getTime() - 5 * 60 * 1000),
  notAfter: new Date(now.getTime() + length),
});

/** Says so where a certificate is for another user, or for one in other groups. */
function otherSubject({ subject }: Certificate, { commonName, organizations = [] }: LeafTemplate): string | undefined {
  const isSame = subject.commonName === commonName && subject.organizations.join('\n') === organizations.join('\n');
  return isSame ? undefined : 'it was for another subject';
}

/** The first name that the certificate should have and has not. */
function missingName({ x509 }: Certificate, { dnsNames = [], ipAddresses = [] }: LeafTemplate): string | undefined {
  const name =
    dnsNames.find((dnsName) => x509.checkHost(dnsName) === undefined) ??
    ipAddresses.find((address) => x509.checkIP(address) === undefined);
  return name === undefined ? undefined : `it lacked the name ${name}`;
}
