export { JsonWatch } from './json-watch.ts';
export type { Watch, WatchEnd } from './watch.ts';
