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
 * The limit for the certificates of one request, some two hundred: parsing more would block the server for too long.
 * Differs from upstream, which limits only the size of the whole object.
 */
const maxCertificateSize = 256 * 1024;

/** Decodes base64 into a string with one character per byte. */
const textOf = (base64: string | undefined): string => latin1(decodeBase64(base64 ?? ''));

/** Parses the PEM-encoded request of a bytes field. Throws an X509Error. For `isOnCurve` see `parseCertificateRequest`. */
export function parseRequest(request: string | undefined, isOnCurve?: PointCheck): CertificateRequest {
  const [block] = pemBlocks(textOf(request));
  if (block?.type !== 'CERTIFICATE REQUEST') throw new X509Error('PEM block type must be CERTIFICATE REQUEST');
  return parseCertificateRequest(block.bytes, isOnCurve);
}

/** Returns the error of a request, with upstream's message. Without `signatures`, the signature is not verified. */
export function requestProblem(request: string | undefined, signatures?: SignatureVerifier): string | undefined {
  return problemOf(() => {
    const parsed = parseRequest(request, signatures?.isOnCurve);
    return signatures && requestSignatureProblem(parsed, signatures);
  });
}

/** Returns the error of the certificates in a bytes field; undefined when it is empty or valid. */
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

/** Returns the check's result, or the message of the X509Error that it throws. */
function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof X509Error) return error.message;
    throw error;
  }
}
