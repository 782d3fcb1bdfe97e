import type { Node } from '@coxswain/api/core/v1';
import { UsedPorts } from './host-ports.ts';
import type { PodInfo } from './pod-info.ts';
import { Resources } from './resources.ts';

/** An image that a node has, and how many of all nodes have it. */
export interface ImageState {
  readonly size: number;
  readonly nodes: number;
}

/**
 * A node and the pods on it, with their sums kept up as pods come and go. Plug-ins read it; they change only copies that they
 * make for a trial.
 */
export class NodeInfo {
  /** Undefined while there are pods of a node that is not known (yet, or any more). */
  node: Node | undefined;
  readonly pods: PodInfo[] = [];
  /** Those of `pods` that have any pod affinity or anti-affinity. */
  readonly podsWithAffinity: PodInfo[] = [];
  readonly podsWithRequiredAntiAffinity: PodInfo[] = [];
  requested = new Resources();
  nonZeroRequested = new Resources();
  allocatable = new Resources();
  usedPorts = new UsedPorts();
  /** By name of the image. */
  imageStates: ReadonlyMap<string, ImageState> = noImages;
  /** How many pods use a claim, by `namespace/name`. */
  readonly pvcRefCounts = new Map<string, number>();
  /** Grows with every change: a snapshot copies only what is newer than itself. */
  generation = 0;
  /** Where it is in the list of the snapshot that it belongs to; -1 in none. */
  row = -1;

  constructor(node?: Node) {
    if (node) this.setNode(node);
  }

  get name(): string {
    return this.node?.metadata.name ?? '';
  }

  setNode(node: Node): void {
    this.node = node;
    this.allocatable = Resources.of(Object.entries(node.status?.allocatable ?? {}));
  }

  addPod(info: PodInfo): void {
    this.pods.push(info);
    if (info.hasAffinity) this.podsWithAffinity.push(info);
    if (info.requiredAntiAffinityTerms.length > 0) this.podsWithRequiredAntiAffinity.push(info);
    this.#count(info, 1);
    for (const port of info.hostPorts) this.usedPorts.add(port);
  }

  /** Whether the pod (by its uid) was there. */
  removePod({ metadata: { uid } }: PodInfo['pod']): boolean {
    const info = removeByUid(this.pods, uid);
    if (!info) return false;
    if (info.hasAffinity) removeByUid(this.podsWithAffinity, uid);
    if (info.requiredAntiAffinityTerms.length > 0) removeByUid(this.podsWithRequiredAntiAffinity, uid);
    this.#count(info, -1);
    for (const port of info.hostPorts) this.usedPorts.remove(port);
    return true;
  }

  clone(): NodeInfo {
    const copy = new NodeInfo();
    copy.node = this.node;
    copy.pods.push(...this.pods);
    copy.podsWithAffinity.push(...this.podsWithAffinity);
    copy.podsWithRequiredAntiAffinity.push(...this.podsWithRequiredAntiAffinity);
    copy.requested = this.requested.clone();
    copy.nonZeroRequested = this.nonZeroRequested.clone();
    // Replaced as a whole, never changed.
    copy.allocatable = this.allocatable;
    copy.imageStates = this.imageStates;
    copy.usedPorts = this.usedPorts.clone();
    for (const [claim, count] of this.pvcRefCounts) copy.pvcRefCounts.set(claim, count);
    copy.generation = this.generation;
    return copy;
  }

  #count({ pod, resources }: PodInfo, sign: 1 | -1): void {
    this.requested.apply(resources.requests, sign);
    this.nonZeroRequested.milliCPU += sign * resources.nonZeroCPU;
    this.nonZeroRequested.memory += sign * resources.nonZeroMemory;
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      if (!persistentVolumeClaim) continue;
      const key = `${pod.metadata.namespace}/${persistentVolumeClaim.claimName}`;
      const count = (this.pvcRefCounts.get(key) ?? 0) + sign;
      if (count > 0) this.pvcRefCounts.set(key, count);
      else this.pvcRefCounts.delete(key);
    }
  }
}

const noImages: ReadonlyMap<string, ImageState> = new Map();

/** The order of a node's pods means nothing: the last takes the place of the one that goes. */
function removeByUid(infos: PodInfo[], uid: string | undefined): PodInfo | undefined {
  const at = infos.findIndex(({ pod }) => pod.metadata.uid === uid);
  if (at < 0) return undefined;
  const removed = infos[at];
  const last = infos.pop()!;
  if (at < infos.length) infos[at] = last;
  return removed;
}
