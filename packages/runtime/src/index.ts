/**
 * A container runtime that implements CRI v1, in this process or on a socket.
 *
 * `images/` pulls, stores and unpacks images; `network/` connects pods. It knows nothing of the Kubernetes API.
 */
export type { ImageConfiguration } from './images/image-configuration.ts';
export type { ImageStore, StoredImage } from './images/image-store.ts';
export type { LocalImageStore, PruneResult, PullOptions } from './images/local-image-store.ts';
export { PullError } from './images/pull-error.ts';
export type { LayerProgress, OnProgress } from './images/pull-progress.ts';
export type { RootFileSystem, RootFileSystems, WritableLayerUsage } from './images/root-file-systems.ts';
export type { NetworkedPod, PodAddresses, PodNetwork, PortMapping } from './network/pod-network.ts';
export { type Images, type OpenImagesOptions, openImages } from './open-images.ts';
