/** Creates directories. Needs Node. */
export { makeDirectory } from './make-directory.ts';
