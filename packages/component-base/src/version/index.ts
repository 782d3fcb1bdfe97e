/** The version of Kubernetes that is implemented. */
export { userAgentOf, type VersionInfo, versionInfo } from './version-info.ts';
