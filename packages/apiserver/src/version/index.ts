import { userAgentOf } from '@coxswain/component-base/version';

/** The version of Kubernetes that this server implements. */
export { versionInfo } from '@coxswain/component-base/version';
export { versionHandler } from './version-handler.ts';

/** The User-Agent of requests that the API server sends. */
export const userAgent = userAgentOf('kube-apiserver');
