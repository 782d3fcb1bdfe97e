/** Root file systems of containers, made of layers. */
export { LayeredRootFileSystems } from './layered-root-file-systems.ts';
export { rootMounterFor } from './root-mounter.ts';
