/** Callbacks on abort signals. */
export { onAbort } from './on-abort.ts';
