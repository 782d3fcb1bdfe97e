/**
 * Custom resources. `CustomResources` watches CustomResourceDefinitions, writes their status, and serves their objects
 * with the endpoints and registries of built-in resources (`ServedDefinition`). Schemas are in `schema/`, CEL
 * validation rules in `validation-rules/`, OpenAPI documents in `openapi/`, and conversion between versions in
 * `conversion/`.
 */
export { CustomResources } from './custom-resources.ts';
