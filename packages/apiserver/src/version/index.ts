/** Which Kubernetes this is. */
export { versionHandler } from './version-handler.ts';
export { type VersionInfo, versionInfo } from './version-info.ts';
