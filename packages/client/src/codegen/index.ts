/**
 * Generates TypeScript types from CustomResourceDefinitions, for `customResource`. A development tool: no other part of
 * the client imports it.
 */
export { type GeneratedFile, generateTypeFiles } from './generate-type-files.ts';
export { generateTypes } from './generate-types.ts';
export { readDefinitions } from './read-definitions.ts';
