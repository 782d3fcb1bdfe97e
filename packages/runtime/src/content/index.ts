/** Files named after the digests of their contents, and downloads of such files. */
export { BlobStore } from './blob-store.ts';
export type { Download } from './download.ts';
export { Downloads } from './downloads.ts';
export { writeFileAtomically } from './write-file-atomically.ts';
