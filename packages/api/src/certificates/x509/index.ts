/**
 * As much of X.509 and PKCS #10 as rules of the API ask for, synchronously and on any platform. It checks what is
 * public; nothing here is fit to keep a secret.
 */
export { type PemBlock, pemBlocks } from '@coxswain/apimachinery/der';
export { type Certificate, parseCertificate, parseCertificates } from './certificate.ts';
export {
  type CertificateRequest,
  parseCertificateRequest,
  parsePkixPublicKey,
  requestSignatureProblem,
} from './certificate-request.ts';
export { readable, X509Error } from './der.ts';
export { verifyEcdsa } from './ecdsa.ts';
export { verifyEd25519 } from './ed25519.ts';
export { type PublicKey, samePublicKey } from './public-key.ts';
export { rsaKeySize, rsaPssProblem } from './rsa.ts';
export { hashes } from './sha.ts';
