/** The store embedded in this process, in a directory of its own. */
export { openLmdb } from './open-lmdb-store.ts';
