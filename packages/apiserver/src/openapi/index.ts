/**
 * OpenAPI: what clients such as `kubectl explain` and `kubectl apply` know of types and operations. Documents are written
 * from the catalogue (`BuiltInOpenApi`) when somebody asks for them, and kept and served by `OpenApiService`, to which
 * custom resources can add theirs. What is meant to differ from upstream's documents stands in `differences.ts`.
 */
export { BuiltInOpenApi } from './built-in-provider.ts';
export { openApiHandler, openApiPaths } from './openapi-handler.ts';
export type { OpenApiProvider } from './openapi-provider.ts';
export { OpenApiService } from './openapi-service.ts';
