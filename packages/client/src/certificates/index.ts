/**
 * Certificates issued by the cluster, for Node: CertificateSigningRequests, rotation, and a node's bootstrap.
 *
 * Where to start: `CertificateManager`.
 */

export { PemKeyPair } from '../x509/pem-key-pair.ts';
export {
  type BootstrapOptions,
  bootstrapClientCertificate,
  hasValidClientCertificate,
  writeClientKubeConfig,
} from './bootstrap.ts';
export {
  CertificateFileStore,
  type CertificateFileStoreOptions,
  type CertificateStore,
} from './certificate-file-store.ts';
export { CertificateManager, type CertificateManagerOptions } from './certificate-manager.ts';
export { type CertificateTemplate, createCertificateRequest, exportKey, generateKey } from './certificate-request.ts';
export {
  type KeyUsage,
  requestCertificate,
  type SigningRequestClient,
  type SigningRequestOptions,
  type SubmittedRequest,
  signingRequestClient,
  waitForCertificate,
} from './request-certificate.ts';
