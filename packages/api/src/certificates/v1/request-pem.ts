import { decodeBase64 } from '@coxswain/apimachinery';
import {
  type CertificateRequest,
  parseCertificateRequest,
  parseCertificates,
  pemBlocks,
  requestSignatureProblem,
  X509Error,
} from '../x509/index.ts';

/** The text that a field of bytes holds, byte for byte. */
const textOf = (base64: string | undefined): string =>
  Array.from(decodeBase64(base64 ?? ''), (byte) => String.fromCharCode(byte)).join('');

/** The request in a field of bytes, which is PEM. Throws an X509Error. */
export function parseRequest(request: string | undefined): CertificateRequest {
  const [block] = pemBlocks(textOf(request));
  if (block?.type !== 'CERTIFICATE REQUEST') throw new X509Error('PEM block type must be CERTIFICATE REQUEST');
  return parseCertificateRequest(block.bytes);
}

/** What is wrong with a request, its signature included, in upstream's words. */
export function requestProblem(request: string | undefined): string | undefined {
  return problemOf(() => requestSignatureProblem(parseRequest(request)));
}

/** What is wrong with the certificates in a field of bytes; nothing at all is right. */
export function certificateProblem(certificate: string | undefined): string | undefined {
  if (!certificate) return undefined;
  return problemOf(() => {
    let count = 0;
    for (const { type, hasHeaders, bytes } of pemBlocks(textOf(certificate))) {
      if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
      if (hasHeaders) return 'no PEM block headers are permitted';
      count++;
      if (parseCertificates(bytes).length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    }
    return count === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
  });
}

/** What the check says or what it throws. */
function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof X509Error) return error.message;
    throw error;
  }
}
