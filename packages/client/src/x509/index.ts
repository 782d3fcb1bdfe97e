/**
 * X.509 for Node: issues certificates, loads certificate and key pairs, and verifies signatures.
 * `@coxswain/apimachinery/x509` parses the contents of certificates. This folder does not talk to a server;
 * `@coxswain/client/certificates` requests certificates from a cluster.
 */
export { type Certificate, oids, parseCertificate, parseCertificatesPem } from './certificate.ts';
export {
  type AlternativeNames,
  type CertificateIssuer,
  type CertificateTemplate,
  issueCertificate,
  issueRawCertificate,
  keyUsageBits,
  type RawCertificateTemplate,
  type Validity,
} from './issue-certificate.ts';
export {
  firstCertificate,
  issueKeyPair,
  type KeyPair,
  type KeyPairFiles,
  loadKeyPair,
  pairProblem,
  privateKey,
  validityProblem,
} from './key-pair.ts';
export { nodeSignatures } from './node-signatures.ts';
