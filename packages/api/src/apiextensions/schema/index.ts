/**
 * Applies the schema of a custom resource to values: validation, defaulting, pruning. A schema is compiled or read
 * once, for many values. Validation of the schema itself is in `v1/`.
 */
export { applyDefaults } from './apply-defaults.ts';
export { isUnchanged, oldItems, oldOfKey } from './correlation.ts';
export { coerceEmbeddedResources, mistypedEmbeddedResource, validateEmbeddedResources } from './embedded-resource.ts';
export { newStructural } from './new-structural.ts';
export { readObjectMeta } from './object-meta.ts';
export { prune, pruneNulls } from './prune.ts';
export { compileSchemaValidator, type SchemaValidator, type SchemaValidatorOptions } from './schema-validator.ts';
export { isRecognizedFormat, stringFormat } from './string-formats.ts';
export type { Structural } from './structural.ts';
export { validateUniqueLists } from './unique-lists.ts';
export { uncorrelated } from './validation-run.ts';
