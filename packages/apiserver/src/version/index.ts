/** Which Kubernetes this is. */
export { versionHandler } from './version-handler.ts';
export { versionInfo } from './version-info.ts';
