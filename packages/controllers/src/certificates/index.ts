/** CertificateSigningRequests: those of kubelets approved, all that are approved signed, old ones removed. */
export { csrApprovingController } from './approving-controller.ts';
export { csrCleanerController } from './cleaner-controller.ts';
export { type CsrSigningOptions, csrSigningController } from './signing-controller.ts';
