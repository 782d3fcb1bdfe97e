/**
 * `@coxswain/cli`: the command `cox`: a cluster (`up/`), a main for each component, and what can be done without a server (judge
 * manifests, explain fields, list resources). Commands live in a file each and know nothing of the process they run in; `main`
 * connects them.
 */
export { main, type Terminal } from './main.ts';
