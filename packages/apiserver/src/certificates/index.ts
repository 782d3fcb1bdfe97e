/** The server's own identity: its authority, the certificates that it signs, and the kubeconfig of its first user. */
export { type Certificate, oids, parseCertificate, parseCertificatesPem, subjectAttribute } from './certificate.ts';
export type { KeyPair, KeyPairFiles } from './key-pair.ts';
export { type AdminKubeconfig, formatKubeconfig, writeAdminKubeconfig } from './kubeconfig.ts';
export {
  ensureServerCertificates,
  type ServerCertificates,
  type ServerCertificatesOptions,
} from './server-certificates.ts';
export { firstServiceIP, type ServingNames, type ServingNamesOptions, servingNames } from './serving-names.ts';
