/** The store on an LMDB file in a directory, embedded in this process. */
export { openLmdb } from './open-lmdb-store.ts';
