/**
 * The store over a real etcd: `openEtcdStore`. Everything goes through `EtcdClient`, which finds a member that answers;
 * watches through `WatchStream`, which resumes; the rest is translation.
 */
export type { EtcdStoreOptions } from './etcd-options.ts';
export { openEtcdStore } from './open-etcd-store.ts';
export { RequestTooLargeError } from './request-too-large-error.ts';
