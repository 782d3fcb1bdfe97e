/** Root file systems of containers, made of layers. */
export { LayeredRootFileSystems, type LayeredRootFileSystemsOptions } from './layered-root-file-systems.ts';
export { type RootMounter, rootMounterFor } from './root-mounter.ts';
