// Clients that request only the metadata of objects.
export { MetadataClient } from './metadata-client.ts';
export type { MetadataResourceInterface } from './metadata-resource.ts';
