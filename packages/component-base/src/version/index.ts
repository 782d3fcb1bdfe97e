/** Which Kubernetes this is. */
export { userAgentOf, type VersionInfo, versionInfo } from './version-info.ts';
