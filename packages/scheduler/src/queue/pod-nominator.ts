import type { Pod } from '@coxswain/api/core/v1';
import type { Nominator } from '../framework/handle.ts';
import type { PodInfo } from '../framework/pod-info.ts';

/**
 * Which pods were promised a place on which node. It knows of a promise before the API server does, so it may differ from
 * what pods say of themselves. It holds no more than there are pods that wait.
 */
export class PodNominator implements Nominator {
  /** Lists are replaced, never changed: who reads one may go on reading. */
  readonly #byNode = new Map<string, readonly PodInfo[]>();
  /** The node by the uid of the pod. */
  readonly #nodes = new Map<string, string>();
  readonly #isWaiting: (pod: Pod) => boolean;
  readonly #onChange: (nodeName: string) => void;

  /**
   * `isWaiting`: whether the pod still exists and has no node, as far as is known. Others are not promised anything. `onChange` is
   * told of every node whose pods are others from then on.
   */
  constructor(isWaiting: (pod: Pod) => boolean, onChange: (nodeName: string) => void = () => {}) {
    this.#isWaiting = isWaiting;
    this.#onChange = onChange;
  }

  nominatedPods(nodeName: string): readonly PodInfo[] {
    if (this.#byNode.size === 0) return none;
    return this.#byNode.get(nodeName) ?? none;
  }

  nominatedNode(pod: Pod): string | undefined {
    return this.#nodes.get(uidOf(pod));
  }

  addNominatedPod(info: PodInfo, nodeName: string = info.pod.status?.nominatedNodeName ?? ''): void {
    // A pod has one promise at most.
    this.deleteNominatedPod(info.pod);
    if (!nodeName || !this.#isWaiting(info.pod)) return;
    this.#nodes.set(uidOf(info.pod), nodeName);
    this.#byNode.set(nodeName, [...(this.#byNode.get(nodeName) ?? none), info]);
    this.#onChange(nodeName);
  }

  deleteNominatedPod(pod: Pod): void {
    const uid = uidOf(pod);
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    const others = this.#byNode.get(node)?.filter((info) => uidOf(info.pod) !== uid) ?? none;
    if (others.length > 0) this.#byNode.set(node, others);
    else this.#byNode.delete(node);
    this.#onChange(node);
  }

  /** The pod has changed. What it says of its node counts, if it ever said anything. */
  updateNominatedPod(old: Pod, info: PodInfo): void {
    // Between our promise and the API server's word for it, an update says nothing of it; that takes nothing back.
    const isSilent = !old.status?.nominatedNodeName && !info.pod.status?.nominatedNodeName;
    const promised = isSilent ? this.#nodes.get(uidOf(old)) : undefined;
    this.deleteNominatedPod(old);
    this.addNominatedPod(info, promised);
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
const none: readonly PodInfo[] = [];
