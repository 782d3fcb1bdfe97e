/**
 * TypeScript types from CustomResourceDefinitions, for `customResource`. A tool for development: no other part of the
 * client needs it.
 */
export { type GeneratedFile, generateTypeFiles } from './generate-type-files.ts';
export { generateTypes } from './generate-types.ts';
export { readDefinitions } from './read-definitions.ts';
