/** The server's own identity: its authority, the certificates that it signs, and the kubeconfig of its first user. */
export { type Certificate, oids, parseCertificate, parseCertificatesPem, subjectAttribute } from './certificate.ts';
export type { KeyPairFiles } from './key-pair.ts';
export { type AdminKubeconfig, formatKubeconfig, writeAdminKubeconfig } from './kubeconfig.ts';
export {
  ensureServerCertificates,
  type ServerCertificates,
} from './server-certificates.ts';
export { type ServingNames, servingNames } from './serving-names.ts';
