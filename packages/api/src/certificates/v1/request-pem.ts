import { base64ByteLength, decodeBase64 } from '@coxswain/apimachinery';
import { pemBlocks, X509Error } from '@coxswain/apimachinery/der';
import {
  type CertificateRequest,
  latin1,
  type PointCheck,
  parseCertificateRequest,
  parseCertificates,
  requestSignatureProblem,
  type SignatureVerifier,
} from '@coxswain/apimachinery/x509';

/**
 * Differs from upstream, where only a whole object has a limit: more certificates than these, some two hundred, would keep the
 * server busy.
 */
const maxCertificateSize = 256 * 1024;

/** The text that a field of bytes holds, byte for byte. */
const textOf = (base64: string | undefined): string => latin1(decodeBase64(base64 ?? ''));

/** The request in a field of bytes, which is PEM. Throws an X509Error. For `isOnCurve` see `parseCertificateRequest`. */
export function parseRequest(request: string | undefined, isOnCurve?: PointCheck): CertificateRequest {
  const [block] = pemBlocks(textOf(request));
  if (block?.type !== 'CERTIFICATE REQUEST') throw new X509Error('PEM block type must be CERTIFICATE REQUEST');
  return parseCertificateRequest(block.bytes, isOnCurve);
}

/** What is wrong with a request, in upstream's words; its signature is checked where something can check it. */
export function requestProblem(request: string | undefined, signatures?: SignatureVerifier): string | undefined {
  return problemOf(() => {
    const parsed = parseRequest(request, signatures?.isOnCurve);
    return signatures && requestSignatureProblem(parsed, signatures);
  });
}

/** What is wrong with the certificates in a field of bytes; nothing at all is right. */
export function certificateProblem(
  certificate: string | undefined,
  signatures?: SignatureVerifier,
): string | undefined {
  if (!certificate) return undefined;
  if (base64ByteLength(certificate) > maxCertificateSize) return `may not be more than ${maxCertificateSize} bytes`;
  return problemOf(() => {
    let count = 0;
    for (const { type, hasHeaders, bytes } of pemBlocks(textOf(certificate))) {
      if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
      if (hasHeaders) return 'no PEM block headers are permitted';
      count++;
      if (parseCertificates(bytes, signatures?.isOnCurve).length === 0)
        return 'found CERTIFICATE PEM block containing 0 certificates';
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
