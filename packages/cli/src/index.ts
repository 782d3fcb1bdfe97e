/**
 * `@coxswain/cli`: the command `cox`: a cluster (`up/`), the main function of each component, and commands that need no server (validate
 * manifests, explain fields, list resources). Each command has its own file and is independent of the process it runs in; `main` connects
 * them.
 */
export { main, type Terminal } from './main.ts';
