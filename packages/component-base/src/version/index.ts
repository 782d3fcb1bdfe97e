/** Which Kubernetes this is. */
export { userAgentOf, versionInfo } from './version-info.ts';
