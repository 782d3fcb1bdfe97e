import { createPublicKey } from 'node:crypto';
import { pemBlocks } from '@coxswain/apimachinery/der';
import { parseCertificateRequest } from '@coxswain/apimachinery/x509';
import { issueKeyPair, issueRawCertificate, keyUsageBits } from '../x509/index.ts';
import { PemKeyPair } from '../x509/pem-key-pair.ts';
import type { CertificateTemplate } from './certificate-request.ts';

const everything: Validity = { notBefore: 0, notAfter: 4e12 };

/** A certificate authority for tests that signs every request. Of a request's names it uses only the subject. */
export class TestAuthority {
  readonly #pair = issueKeyPair({ commonName: 'test-authority', isCA: true, ...dates(everything) });

  /** PEM. */
  get certificate(): string {
    return this.#pair.certificatePem;
  }

  /**
   * Returns a certificate (PEM) for the subject and key of the request, as a signer puts it into `status.certificate`.
   */
  signRequest(request: string, validity: Validity): string {
    const [block] = pemBlocks(request);
    const { subject, publicKeyInfo } = parseCertificateRequest(block!.bytes);
    const key = createPublicKey({ key: Buffer.from(publicKeyInfo), type: 'spki', format: 'der' });
    const template = {
      subject: subject.raw,
      keyUsage: keyUsageBits.digitalSignature,
      extendedKeyUsages: [],
      ...dates(validity),
    };
    return issueRawCertificate(template, key, this.#pair).x509.toString();
  }

  /** Issues a certificate for a new key. */
  issue(template: CertificateTemplate, validity: Validity = everything): PemKeyPair {
    const { certificatePem, keyPem } = issueKeyPair({ ...template, ...dates(validity) }, this.#pair);
    return new PemKeyPair(certificatePem, keyPem);
  }
}

/** Milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

function dates({ notBefore, notAfter }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}
