/**
 * Typed clients for all resources of Kubernetes. `ClientSet` has every group. For smaller bundles, each group version
 * has a function, such as `coreV1(rest)`.
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
