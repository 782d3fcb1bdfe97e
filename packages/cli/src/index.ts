/**
 * `@coxswain/cli`: the command `cox`. Today it is what can be done without a server (judge manifests, explain fields, list
 * resources) and the API server itself. Commands live in a file each and know nothing of the process they run in; `main`
 * connects them.
 */
export { main, type Terminal } from './main.ts';
