/** Where the configuration comes from: a ConfigMap, a file, or a text. */
export { type ConfigMapSourceOptions, configMapSource } from './config-map-source.ts';
export type { CorefileSource, CorefileVersion } from './corefile-source.ts';
export { fileSource } from './file-source.ts';
export { textSource } from './text-source.ts';
