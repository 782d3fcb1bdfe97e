export type { ApplyConfiguration, ApplyFields } from './apply-configuration.ts';
export type { CallOptions } from './call-options.ts';
export type { ResourceDescription } from './resource.ts';
export { ResourceClient } from './resource-client.ts';
export type {
  ApplyCallOptions,
  DeepPartial,
  JsonPatchOperation,
  PatchBodies,
  PatchType,
  ResourceInterface,
} from './resource-interface.ts';
export { type RawResponse, RESTClient, type RestRequest, type WebSocketRestRequest } from './rest-client.ts';
