/** Directories, for Node. */
export { makeDirectory } from './make-directory.ts';
