/** Which Kubernetes this is. */
export { versionHandler } from './version-handler.ts';
export { userAgent, versionInfo } from './version-info.ts';
