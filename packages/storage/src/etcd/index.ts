/**
 * The store over a real etcd: `openEtcdStore`. All calls go through `EtcdClient`, which finds a member that answers;
 * watches use `WatchStream`, which resumes; the other modules convert options, messages and errors.
 */
export type { EtcdStoreOptions } from './etcd-options.ts';
export { openEtcdStore } from './open-etcd-store.ts';
export { RequestTooLargeError } from './request-too-large-error.ts';
