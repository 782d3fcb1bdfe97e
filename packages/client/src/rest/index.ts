export type { ApplyConfiguration, ApplyFields } from './apply-configuration.ts';
export type { CallOptions } from './call-options.ts';
export { MalformedAnswerError } from './decode-answer.ts';
export { RequestBuilder } from './request-builder.ts';
export type { ResourceDescription } from './resource.ts';
export { ResourceClient } from './resource-client.ts';
export type {
  ApplyCallOptions,
  DeepPartial,
  JsonPatchOperation,
  PatchBodies,
  PatchType,
  ResourceInterface,
  StrategicMergePatch,
  WithoutAnswers,
} from './resource-interface.ts';
export { RESTClient, type RESTClientOptions } from './rest-client.ts';
export type { RawResponse, RestRequest, WebSocketRestRequest } from './rest-request.ts';
export { logWarnings, noWarnings, type Warning, type WarningHandler } from './warnings.ts';
