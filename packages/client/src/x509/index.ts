/**
 * X.509 for Node: certificates issued, the pairs they make with their keys, and signatures checked. What certificates say is
 * read by `@coxswain/apimachinery/x509`. It talks to no server; how to get a certificate from a cluster is in
 * `@coxswain/client/certificates`.
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
