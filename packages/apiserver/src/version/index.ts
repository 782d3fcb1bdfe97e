import { userAgentOf } from '@coxswain/component-base/version';

/** Which Kubernetes this is. */
export { versionInfo } from '@coxswain/component-base/version';
export { versionHandler } from './version-handler.ts';

/** How the server names itself to servers that it asks. */
export const userAgent = userAgentOf('kube-apiserver');
