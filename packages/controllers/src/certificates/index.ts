/**
 * Controllers for CertificateSigningRequests: approve those of kubelets, sign approved ones, delete old ones. Also deletes old
 * PodCertificateRequests.
 */
export { csrApprovingController } from './approving-controller.ts';
export { csrCleanerController } from './cleaner-controller.ts';
export { podCertificateRequestCleanerController } from './pod-certificate-request-cleaner.ts';
export { type CsrSigningOptions, csrSigningController } from './signing-controller.ts';
