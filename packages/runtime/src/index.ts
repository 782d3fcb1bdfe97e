/**
 * A container runtime that implements CRI v1, in this process or on a socket.
 *
 * `images/` pulls, stores and unpacks images; `network/` connects pods; `namespaces/` pins the namespaces of a sandbox. It knows nothing of the Kubernetes API.
 */
export type { ImageConfiguration } from './images/image-configuration.ts';
export type { ImageStore, StoredImage } from './images/image-store.ts';
export type { RootFileSystem, RootFileSystems, WritableLayerUsage } from './images/root-file-systems.ts';
export {
  type IDMapping,
  type NamespacePaths,
  type NamespacesRequest,
  type NamespaceType,
  PinnedNamespaces,
  type PinnedNamespacesOptions,
} from './namespaces/pinned-namespaces.ts';
export { NodeNetwork, type NodeNetworkOptions } from './network/node-network.ts';
export type { DNSSettings, NetworkedPod, PodAddresses, PodNetwork, PortMapping } from './network/pod-network.ts';
export type { NetworkProblem, NetworkReport } from './network/problems/network-problems.ts';
export { choosePodResolver, type PodResolver } from './network/resolver/pod-resolver.ts';
