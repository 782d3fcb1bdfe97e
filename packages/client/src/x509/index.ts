/**
 * X.509 for Node: certificates read and issued, and the pairs they make with their keys. It talks to no server; how to get
 * a certificate from a cluster is in `@coxswain/client/certificates`.
 */
export { type Certificate, oids, parseCertificate, parseCertificatesPem, subjectAttribute } from './certificate.ts';
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
