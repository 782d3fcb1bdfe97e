/**
 * Custom resources: `CustomResources` follows CustomResourceDefinitions, says in their status what became of them, and has
 * their objects served by the same endpoints and registries as built-in resources (`ServedDefinition`). What their schemas
 * ask of objects is in `schema/`, what their rules ask, in CEL, in `validation-rules/`, their OpenAPI documents in
 * `openapi/`, the way between versions in `conversion/`.
 */
export { CustomResources } from './custom-resources.ts';
