import { createPublicKey } from 'node:crypto';
import { pemBlocks } from '@coxswain/apimachinery/der';
import { parseCertificateRequest } from '@coxswain/apimachinery/x509';
import { issueKeyPair, issueRawCertificate, keyUsageBits } from '../x509/index.ts';
import { PemKeyPair } from '../x509/pem-key-pair.ts';
import type { CertificateTemplate } from './certificate-request.ts';

const everything: Validity = { notBefore: 0, notAfter: 4e12 };

/** An authority for tests: signs whatever it is given. In requests it overlooks all names but the subject. */
export class TestAuthority {
  readonly #pair = issueKeyPair({ commonName: 'test-authority', isCA: true, ...dates(everything) });

  /** PEM. */
  get certificate(): string {
    return this.#pair.certificatePem;
  }

  /** What a signer puts into the status of a request: a certificate for its subject and key, PEM. */
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

  /** A key and a certificate for it. */
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
