/** OpenAPI documents of custom resources, for `OpenApiService`. */
export { CustomResourceOpenApi } from './custom-resource-openapi.ts';
