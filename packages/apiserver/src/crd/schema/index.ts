/**
 * The schema of a custom resource: pruning, defaulting and validation of its objects, and the schema for server-side
 * apply. Its parts are in `@coxswain/api`, `apiextensions/schema/`.
 */
export { type CustomResourceSchema, compileCustomResourceSchema } from './custom-resource-schema.ts';
