import type { Node } from '@coxswain/api/core/v1';
import { UsedPorts } from './host-ports.ts';
import type { PodInfo } from './pod-info.ts';
import { Resources } from './resources.ts';

/** An image on a node, and the number of nodes that have it. */
export interface ImageState {
  readonly size: number;
  readonly nodes: number;
}

/**
 * A node and its pods, with sums that are updated as pods are added and removed. Plug-ins may only modify copies that they make for a
 * trial.
 */
export class NodeInfo {
  /** Undefined when there are pods of a node that is not known yet, or was deleted. */
  node: Node | undefined;
  readonly pods: PodInfo[];
  /** Those of `pods` that have any pod affinity or anti-affinity. */
  readonly podsWithAffinity: PodInfo[];
  readonly podsWithRequiredAntiAffinity: PodInfo[];
  readonly requested: Resources;
  readonly nonZeroRequested: Resources;
  /** Replaced as a whole, never modified. */
  allocatable: Resources;
  readonly usedPorts: UsedPorts;
  /** By image name. */
  imageStates: ReadonlyMap<string, ImageState>;
  /** Undefined for most nodes, which makes the frequent copies cheap. */
  #pvcRefCounts: Map<string, number> | undefined;
  /** Set by the cache: increases with every change. */
  generation = 0;
  /** Index in the list of its snapshot; -1 when it is not in one. */
  row = -1;

  /** Copies the pods and sums of `like`, if given. */
  constructor(node?: Node, like?: NodeInfo) {
    this.node = node;
    this.pods = like?.pods.slice() ?? [];
    this.podsWithAffinity = like?.podsWithAffinity.slice() ?? [];
    this.podsWithRequiredAntiAffinity = like?.podsWithRequiredAntiAffinity.slice() ?? [];
    this.requested = like?.requested.clone() ?? new Resources();
    this.nonZeroRequested = like?.nonZeroRequested.clone() ?? new Resources();
    this.allocatable = like?.allocatable ?? allocatableOf(node);
    this.usedPorts = like?.usedPorts.clone() ?? new UsedPorts();
    this.imageStates = like?.imageStates ?? noImages;
    if (like && like.pvcRefCounts.size > 0) this.#pvcRefCounts = new Map(like.pvcRefCounts);
    if (like) this.generation = like.generation;
  }

  get name(): string {
    return this.node?.metadata.name ?? '';
  }

  setNode(node: Node): void {
    this.node = node;
    this.allocatable = allocatableOf(node);
  }

  /** The number of pods that use a claim, by `namespace/name`. */
  get pvcRefCounts(): ReadonlyMap<string, number> {
    return this.#pvcRefCounts ?? noClaims;
  }

  addPod(info: PodInfo): void {
    this.pods.push(info);
    if (info.hasAffinity) this.podsWithAffinity.push(info);
    if (info.requiredAntiAffinityTerms.length > 0) this.podsWithRequiredAntiAffinity.push(info);
    this.#count(info, 1);
    for (const port of info.hostPorts) this.usedPorts.add(port);
  }

  /** Removes the pod with the same UID. Returns whether it was there. */
  removePod({ metadata: { uid } }: PodInfo['pod']): boolean {
    const info = removeByUid(this.pods, uid);
    if (!info) return false;
    if (info.hasAffinity) removeByUid(this.podsWithAffinity, uid);
    if (info.requiredAntiAffinityTerms.length > 0) removeByUid(this.podsWithRequiredAntiAffinity, uid);
    this.#count(info, -1);
    for (const port of info.hostPorts) this.usedPorts.remove(port);
    return true;
  }

  /** Replaces a pod by its next state. Returns false, without a change, unless both states surely use the same resources of the node. */
  replacePod(old: PodInfo, info: PodInfo): boolean {
    if (old.pod.spec !== info.pod.spec || old.resources !== info.resources || !replace(this.pods, old, info))
      return false;
    if (info.hasAffinity) replace(this.podsWithAffinity, old, info);
    if (info.requiredAntiAffinityTerms.length > 0) replace(this.podsWithRequiredAntiAffinity, old, info);
    return true;
  }

  clone(): NodeInfo {
    return new NodeInfo(this.node, this);
  }

  #count({ pod, resources }: PodInfo, sign: 1 | -1): void {
    this.requested.apply(resources.requests, sign);
    this.nonZeroRequested.milliCPU += sign * resources.nonZeroCPU;
    this.nonZeroRequested.memory += sign * resources.nonZeroMemory;
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      if (!persistentVolumeClaim) continue;
      const key = `${pod.metadata.namespace}/${persistentVolumeClaim.claimName}`;
      const count = (this.pvcRefCounts.get(key) ?? 0) + sign;
      this.#pvcRefCounts ??= new Map();
      if (count > 0) this.#pvcRefCounts.set(key, count);
      else this.#pvcRefCounts.delete(key);
    }
  }
}

const noImages: ReadonlyMap<string, ImageState> = new Map();
const noClaims: ReadonlyMap<string, number> = new Map();

const allocatableOf = (node: Node | undefined): Resources =>
  Resources.of(Object.entries(node?.status?.allocatable ?? {}));

function replace(infos: PodInfo[], old: PodInfo, info: PodInfo): boolean {
  const at = infos.indexOf(old);
  if (at >= 0) infos[at] = info;
  return at >= 0;
}

/** The order of a node's pods has no meaning, so the last one fills the gap. */
function removeByUid(infos: PodInfo[], uid: string | undefined): PodInfo | undefined {
  const at = infos.findIndex(({ pod }) => pod.metadata.uid === uid);
  if (at < 0) return undefined;
  const removed = infos[at];
  const last = infos.pop()!;
  if (at < infos.length) infos[at] = last;
  return removed;
}
