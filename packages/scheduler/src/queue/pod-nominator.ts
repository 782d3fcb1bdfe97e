import type { Pod } from '@coxswain/api/core/v1';
import type { Nominator } from '../framework/handle.ts';
import type { PodInfo } from '../framework/pod-info.ts';

/**
 * The nominated pods of each node. A nomination is recorded here before it is written to the API server, so it may differ from the pod's
 * status. Bounded by the number of waiting pods.
 */
export class PodNominator implements Nominator {
  /** Lists are replaced, never modified, so that callers can keep them. */
  readonly #byNode = new Map<string, readonly PodInfo[]>();
  /** The node name by the pod's UID. */
  readonly #nodes = new Map<string, string>();
  readonly #isWaiting: (pod: Pod) => boolean;
  readonly #onChange: (nodeName: string) => void;

  /**
   * `isWaiting` returns whether the pod still exists and has no node, according to the informer; other pods are not nominated. `onChange`
   * is called with each node whose nominated pods have changed.
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
    // A pod has at most one nomination.
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

  /** Updates the nomination after the pod has changed. The nomination in the pod's status takes precedence, if it has or had one. */
  updateNominatedPod(old: Pod, info: PodInfo): void {
    // Until a nomination has been written to the API server, updates of the pod do not contain it. Such an update must not remove it.
    const isSilent = !old.status?.nominatedNodeName && !info.pod.status?.nominatedNodeName;
    const promised = isSilent ? this.#nodes.get(uidOf(old)) : undefined;
    this.deleteNominatedPod(old);
    this.addNominatedPod(info, promised);
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
const none: readonly PodInfo[] = [];
