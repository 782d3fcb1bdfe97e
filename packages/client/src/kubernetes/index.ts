/**
 * Typed clients for all that Kubernetes serves. `ClientSet` has every group; a single group version is its function, such
 * as `coreV1(rest)`, for those who bundle and count bytes.
 */
export { ClientSet } from './client-set.ts';
export { extractApplyConfiguration } from './extract-apply-configuration.ts';
export * from './generated/index.ts';
export type { AllVerbs, Answered, Order, Review, Serves, WithoutMetadata } from './resource-methods.ts';
export type { AllNamespaces, ClusterResource, InNamespaceOnly, NamespacedResource } from './resource-scope.ts';
export type {
  ApprovalMethods,
  BindingMethods,
  EphemeralContainersMethods,
  EvictionMethods,
  FinalizeMethods,
  LogMethods,
  ProxyMethods,
  ProxyOptions,
  ResizeMethods,
  ScaleMethods,
  StatusMethods,
  TokenMethods,
} from './subresource-methods.ts';
