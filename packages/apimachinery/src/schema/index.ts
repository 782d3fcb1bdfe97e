export { base64ByteLength, decodeBase64, encodeBase64 } from './base64.ts';
export { DecodeError } from './decode-error.ts';
export { compileEmptyCollections } from './empty-collections.ts';
export { explainConversion } from './explain-conversion.ts';
export { compileGoDump } from './go-dump.ts';
export { compileNormalizer, type Normalized, type NormalizeOptions, type Normalizer } from './normalizer.ts';
export type {
  Field,
  ListSchema,
  MapSchema,
  ScalarKind,
  ScalarSchema,
  Schema,
  SchemaOrSchema,
  StructSchema,
} from './schema.ts';
export { isAlwaysWritten } from './zero-value.ts';
