/** Tar archives: a reader for hostile ones, and a writer of entries that were checked. */
export { ArchiveError } from './archive-error.ts';
export { type TarEntry, textOfBytes } from './tar-entry.ts';
export { TarReader } from './tar-reader.ts';
export { type ByteSink, TarWriter } from './tar-writer.ts';
