/**
 * A container runtime that implements CRI v1, in this process or on a socket, over the programs that distributions package: `runc` makes
 * containers, `conmon` watches them, CNI plug-ins connect them.
 *
 * Where to start: `openRuntime` puts everything together. `control/` has the calls for people beside CRI's. `images/`, `layers/`, `registry/` and `roots/` pull, keep and mount images;
 * `namespaces/` and `network/` are what pods share; `lifecycle/` has the operations on sandboxes and containers, `oci/` the configurations that
 * runc gets, `machinery/` and `processes/` the programs, `model/` what is on disk, `streaming/` exec, attach and port-forward, `stats/` what
 * containers use, and `service/` CRI's calls.
 *
 * It knows nothing of the Kubernetes API.
 */
export { containersProblem } from './containers-problem.ts';
export { type ImageProgress, imageControl } from './control/index.ts';
export type { ImageConfiguration } from './images/image-configuration.ts';
export type { ImageStore, StoredImage } from './images/image-store.ts';
export type { LocalImageStore, PruneResult, PullOptions } from './images/local-image-store.ts';
export { PullError } from './images/pull-error.ts';
export type { LayerProgress, OnProgress } from './images/pull-progress.ts';
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
export { type Images, type OpenImagesOptions, openImages } from './open-images.ts';
export { type OpenRuntimeOptions, openRuntime, type Runtime } from './open-runtime.ts';
