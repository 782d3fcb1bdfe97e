/** CertificateSigningRequests: those of kubelets approved, all that are approved signed, old ones removed. */
export { csrApprovingController } from './approving-controller.ts';
export { csrCleanerController } from './cleaner-controller.ts';
export { type CsrSigningOptions, csrSigningController, type SignerName } from './signing-controller.ts';
