/** CertificateSigningRequests: those of kubelets approved, all that are approved signed, old ones removed; old PodCertificateRequests too. */
export { csrApprovingController } from './approving-controller.ts';
export { csrCleanerController } from './cleaner-controller.ts';
export { podCertificateRequestCleanerController } from './pod-certificate-request-cleaner.ts';
export { type CsrSigningOptions, csrSigningController } from './signing-controller.ts';
