import type { Node, Pod } from '@coxswain/api/core/v1';
import { NodeInfo } from '../framework/node-info.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { Resources } from '../framework/resources.ts';
import type { Snapshot } from '../framework/snapshot.ts';
import { CachedSnapshot } from './cached-snapshot.ts';
import { ImageStates } from './image-states.ts';
import { NodeTree } from './node-tree.ts';

/**
 * The nodes and their pods, as reported by informers, and assumed pods. A pod is assumed to be on its node from the moment it is scheduled,
 * until an informer confirms it or until it is forgotten because it could not be bound.
 */
export class SchedulerCache {
  /** By name. Entries without `node` hold the pods of a node that is not known yet, or was deleted. */
  readonly #nodes = new Map<string, NodeInfo>();
  /** By UID: the node on which each pod is counted. */
  readonly #pods = new Map<string, PlacedPod>();
  readonly #assumed = new Set<string>();
  readonly #tree = new NodeTree();
  readonly #images = new ImageStates();
  readonly #snapshot = new CachedSnapshot();
  /** Names of the nodes that have changed since the last `updateSnapshot`. */
  readonly #changed = new Set<string>();
  /** The set or the order of the nodes has changed since the last `updateSnapshot`. */
  #isRearranged = false;
  #generation = 0;

  get size(): { readonly nodes: number; readonly pods: number; readonly assumedPods: number } {
    return { nodes: this.#nodes.size, pods: this.#pods.size, assumedPods: this.#assumed.size };
  }

  /** The live state of the node. Callers must not modify it. */
  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  /** Adds or replaces a node. */
  addNode(node: Node): NodeInfo {
    const name = node.metadata.name ?? '';
    const info = this.#nodeInfo(name);
    if (info.node) this.#images.remove(info.node);
    info.setNode(node);
    info.imageStates = this.#images.add(node);
    if (this.#tree.set(node)) this.#isRearranged = true;
    this.#touch(name, info);
    return info;
  }

  updateNode(_before: Node, node: Node): NodeInfo {
    return this.addNode(node);
  }

  /** The node's remaining pods are kept: informers report their deletions one by one, and the node may come back. */
  removeNode({ metadata: { name = '' } }: Node): void {
    const info = this.#nodes.get(name);
    if (!info?.node) return;
    this.#images.remove(info.node);
    info.node = undefined;
    info.allocatable = new Resources();
    info.imageStates = new Map();
    if (this.#tree.remove(name)) this.#isRearranged = true;
    this.#touch(name, info);
    this.#dropIfEmpty(name, info);
  }

  /** Adds or replaces a pod with a node, as reported by an informer. Confirms an assumed pod. */
  addPod(pod: Pod): void {
    this.#assumed.delete(uidOf(pod));
    this.#place(new PodInfo(pod), pod.spec?.nodeName ?? '');
  }

  updatePod(_before: Pod, pod: Pod): void {
    this.addPod(pod);
  }

  removePod(pod: Pod): void {
    this.#assumed.delete(uidOf(pod));
    this.#displace(uidOf(pod));
  }

  /** Counts a pod on the node before it is bound. Throws an Error when the pod is already counted. */
  assumePod(info: PodInfo, nodeName: string): void {
    const uid = uidOf(info.pod);
    if (this.#pods.has(uid)) {
      throw new Error(`pod ${uid}(${info.key}) is in the cache, so can't be assumed`);
    }
    this.#assumed.add(uid);
    this.#place(info, nodeName);
  }

  /** Removes an assumed pod. Does nothing when an informer has confirmed it. */
  forgetPod(pod: Pod): void {
    if (this.#assumed.delete(uidOf(pod))) this.#displace(uidOf(pod));
  }

  isAssumed(pod: Pod): boolean {
    return this.#assumed.has(uidOf(pod));
  }

  /** The pod as it is counted, assumed or not. */
  pod({ metadata: { uid = '' } }: Pod): Pod | undefined {
    return this.#pods.get(uid)?.info.pod;
  }

  /** The snapshot of the last `updateSnapshot`. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Updates the snapshot by copying only changed nodes. Always returns the same object. */
  updateSnapshot(): Snapshot {
    for (const name of this.#changed) {
      const info = this.#nodes.get(name);
      this.#snapshot.set(name, info?.node && info.clone());
    }
    this.#changed.clear();
    if (this.#isRearranged) this.#snapshot.arrange(this.#tree.list());
    this.#isRearranged = false;
    return this.#snapshot;
  }

  /** The nominated pods of the node have changed: cached filter results for it are invalid. */
  nominationsChanged(nodeName: string): void {
    this.#snapshot.nominationsChanged(nodeName);
  }

  #place(info: PodInfo, nodeName: string): void {
    const uid = uidOf(info.pod);
    const placed = this.#pods.get(uid);
    // Usually only the pod's status has changed.
    if (!(placed?.nodeName === nodeName && this.#nodes.get(nodeName)?.replacePod(placed.info, info))) {
      this.#displace(uid);
      this.#nodeInfo(nodeName).addPod(info);
    }
    this.#pods.set(uid, { info, nodeName });
    this.#touch(nodeName, this.#nodeInfo(nodeName));
  }

  #displace(uid: string): void {
    const placed = this.#pods.get(uid);
    if (!placed) return;
    this.#pods.delete(uid);
    const node = this.#nodes.get(placed.nodeName);
    if (!node?.removePod(placed.info.pod)) throw new Error(`bug: pod ${uid} is not on node ${placed.nodeName}`);
    this.#touch(placed.nodeName, node);
    this.#dropIfEmpty(placed.nodeName, node);
  }

  #nodeInfo(name: string): NodeInfo {
    const known = this.#nodes.get(name);
    if (known) return known;
    const info = new NodeInfo();
    this.#nodes.set(name, info);
    return info;
  }

  #dropIfEmpty(name: string, info: NodeInfo): void {
    if (!info.node && info.pods.length === 0) this.#nodes.delete(name);
  }

  #touch(name: string, info: NodeInfo): void {
    info.generation = ++this.#generation;
    this.#changed.add(name);
  }
}

interface PlacedPod {
  readonly info: PodInfo;
  readonly nodeName: string;
}

const uidOf = ({ metadata: { uid = '' } }: Pod): string => uid;
