import { decodeBase64, type ErrorList, invalid, type Path } from '@coxswain/apimachinery';
import { pemBlocks, X509Error } from '@coxswain/apimachinery/der';
import { latin1, parseCertificate } from '@coxswain/apimachinery/x509';

/** Refuses a CA bundle (base64 of PEM) without a usable certificate. */
export function validateCABundle(bundle: string, path: Path): ErrorList {
  const problem = bundleProblem(bundle);
  return problem === undefined ? [] : [invalid(path, bundle, `unable to load root certificates: ${problem}`)];
}

/**
 * Returns the first error, or undefined when at least one certificate is valid. PEM blocks of other types, or with
 * headers, are ignored.
 */
function bundleProblem(bundle: string): string | undefined {
  let isEmpty = true;
  let problem: string | undefined;
  for (const { type, hasHeaders, bytes } of pemBlocks(latin1(decodeBase64(bundle)))) {
    isEmpty = false;
    if (type !== 'CERTIFICATE' || hasHeaders) continue;
    try {
      parseCertificate(bytes);
      return undefined;
    } catch (error) {
      if (!(error instanceof X509Error)) throw error;
      problem ??= `failed to parse certificate: ${error.message}`;
    }
  }
  return problem ?? (isEmpty ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen');
}
