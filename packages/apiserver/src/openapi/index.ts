/**
 * OpenAPI: what clients such as `kubectl explain` and `kubectl apply` know of types and operations. Documents are written
 * from the catalogue (`BuiltInOpenApi`) when somebody asks for them, and kept and served by `OpenApiService`, to which
 * custom resources can add theirs. What is meant to differ from upstream's documents stands in `differences.ts`.
 */
export { BuiltInOpenApi } from './built-in-provider.ts';
export { DefinitionBuilder } from './definition-builder.ts';
export { type Dialect, type JsonObject, v2, v3 } from './dialect.ts';
export { kindsOfTypes, knownGroupVersions } from './kinds-of-types.ts';
export { openApiHandler, openApiPaths } from './openapi-handler.ts';
export type { OpenApiProvider, V2Part } from './openapi-provider.ts';
export { OpenApiService } from './openapi-service.ts';
export type { Content, Method, Operation, PathItem } from './operation.ts';
export { camelCase, operationScope, operationTag } from './operation-id.ts';
export {
  byName,
  nameParameter,
  namespaceParameter,
  optionParameters,
  type Parameter,
  prettyParameter,
} from './parameters.ts';
export { patchContent, withArticle } from './resource-operations.ts';
export { v2Parts } from './v2-document.ts';
export { v3Document } from './v3-document.ts';
