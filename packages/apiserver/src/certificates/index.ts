/** The certificates of the server: its CAs, the certificates they sign, and the kubeconfig of the administrator. */
export { type AdminKubeconfig, formatAdminKubeconfig, writeAdminKubeconfig } from './kubeconfig.ts';
export { ensureServerCertificates, kubeletClientUser } from './server-certificates.ts';
export { type ServingNames, servingNames } from './serving-names.ts';
