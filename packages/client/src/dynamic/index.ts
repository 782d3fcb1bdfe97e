// Clients for resources whose type is not known at compile time.
export { DynamicClient, type DynamicClientOptions, type DynamicResourceOptions } from './dynamic-client.ts';
export type { DynamicResourceInterface } from './dynamic-resource.ts';
export { type KindReference, ObjectClient, type ObjectReference } from './object-client.ts';
export type { Unstructured } from './unstructured.ts';
