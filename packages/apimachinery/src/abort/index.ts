/** Listening to abort signals. */
export { onAbort } from './on-abort.ts';
