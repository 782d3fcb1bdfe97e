/**
 * OpenAPI documents, from which clients such as `kubectl explain` and `kubectl apply` get types and operations. `BuiltInOpenApi`
 * generates them from the catalogue on the first request. `OpenApiService` caches and serves them, together with those of custom
 * resources. The deliberate differences from upstream's documents are in `differences.ts`.
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
