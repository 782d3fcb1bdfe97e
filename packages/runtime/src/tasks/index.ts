/** Work that several callers want at once. */
export { Limiter } from './limiter.ts';
export { SharedTasks } from './shared-tasks.ts';
