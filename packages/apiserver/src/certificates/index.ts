/** The server's own identity: its authority, the certificates that it signs, and the kubeconfig of its first user. */
export { type AdminKubeconfig, formatAdminKubeconfig, writeAdminKubeconfig } from './kubeconfig.ts';
export { ensureServerCertificates, kubeletClientUser } from './server-certificates.ts';
export { type ServingNames, servingNames } from './serving-names.ts';
