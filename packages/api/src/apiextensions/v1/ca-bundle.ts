import { decodeBase64, type ErrorList, invalid, type Path } from '@coxswain/apimachinery';

const pemBlock = /-----BEGIN ([^\n-]+)-----\r?\n(?:[^\n]*:[^\n]*\n)*([A-Za-z0-9+/=\s]*)-----END \1-----/g;

/** A bundle of certificates, base64 of PEM text, that nothing could be verified with is refused. */
export function validateCABundle(bundle: string, path: Path): ErrorList {
  const problem = bundleProblem(bundle);
  return problem === undefined ? [] : [invalid(path, bundle, `unable to load root certificates: ${problem}`)];
}

function bundleProblem(bundle: string): string | undefined {
  const blocks = [...new TextDecoder().decode(decodeBase64(bundle)).matchAll(pemBlock)];
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  const certificates = blocks.filter(([, type]) => type === 'CERTIFICATE');
  if (certificates.some(([, , body]) => isDerSequence(body!))) return undefined;
  return certificates.length > 0
    ? 'failed to parse certificate: x509: malformed certificate'
    : 'no valid certificate authority data seen';
}

/** The outermost form of a certificate: a sequence that is as long as it says. */
function isDerSequence(base64: string): boolean {
  let bytes: Uint8Array;
  try {
    bytes = decodeBase64(base64.replace(/\s+/g, ''));
  } catch {
    return false;
  }
  const [tag = 0, first = 0] = bytes;
  if (tag !== 0x30) return false;
  if (first < 0x80) return bytes.length === first + 2;
  const lengthBytes = first & 0x7f;
  const length = bytes.slice(2, 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return lengthBytes > 0 && lengthBytes <= 4 && bytes.length === length + lengthBytes + 2;
}
