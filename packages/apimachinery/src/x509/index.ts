/**
 * Parsers of X.509 and PKCS #10, compatible with Go's: certificates, certificate requests, their keys and names. They run on any
 * platform; signatures are verified by a `SignatureVerifier`.
 */
export { type Certificate, parseCertificate, parseCertificates } from './certificate.ts';
export { type CertificateRequest, parseCertificateRequest, parsePkixPublicKey } from './certificate-request.ts';
export { latin1 } from './latin1.ts';
export type { AlternativeNames, Name, NameAttribute } from './names.ts';
export { type PublicHalf, publicHalfOf } from './private-key.ts';
export {
  type AlgorithmIdentifier,
  type CurveName,
  type EcPublicKey,
  type Ed25519PublicKey,
  encodePublicKey,
  type PointCheck,
  type PublicKey,
  type RsaPublicKey,
  rsaKeyBits,
  sameBytes,
  samePublicKey,
  type VerifyingKey,
} from './public-key.ts';
export { readable } from './readable.ts';
export {
  type HashName,
  requestSignatureProblem,
  type SignatureVerifier,
  type Signed,
  signatureProblem,
  verificationProblem,
} from './signature.ts';
