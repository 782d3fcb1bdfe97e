import type { Node, Pod } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { EventRecorder } from '@coxswain/client';
import { podCondition } from '@coxswain/component-helpers';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { updatedPodCondition, withPodCondition } from '../framework/pods/updated-pod-condition.ts';
import { changedTaints, type TaintChange } from './condition-taints.ts';

const tries = 5;
/** For events: cached objects lack apiVersion and kind. */
const podKind = { group: '', version: 'v1', kind: 'Pod' };

/** The write requests of the node lifecycle controller. */
export class NodeWrites {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;

  constructor(context: ControllerContext, recorder: EventRecorder) {
    this.#context = context;
    this.#recorder = recorder;
  }

  /** The current time as in API objects. */
  get now(): string {
    return timeFromDate(new Date(this.#context.clock.now()));
  }

  /** Changes the node's taints by one patch, if necessary. On a conflict reads the node and tries again. */
  async changeTaints(node: Node, change: TaintChange): Promise<void> {
    const nodes = this.#context.clients.core.v1.nodes();
    const { name = '' } = node.metadata;
    let current = node;
    for (let left = tries; ; left--) {
      const taints = changedTaints(current.spec?.taints ?? [], change, this.now);
      if (!taints) return;
      const { resourceVersion = '' } = current.metadata;
      const patch = { metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
      try {
        await nodes.patch(name, 'strategic-merge', patch);
        return;
      } catch (error) {
        if (!isConflict(error) || left === 1) throw error;
        current = await nodes.get(name);
      }
    }
  }

  async setLabels({ metadata: { name = '' } }: Node, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#context.clients.core.v1.nodes().patch(name, 'strategic-merge', { metadata: { labels } });
  }

  /** Sets the Ready condition of pods on a silent node to False, because its kubelet cannot report. Rejects when that fails for any pod. */
  async markPodsNotReady(pods: readonly Pod[]): Promise<void> {
    const failures: unknown[] = [];
    for (const pod of pods) await this.#markPodNotReady(pod).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join(', '));
  }

  async #markPodNotReady(pod: Pod): Promise<void> {
    const ready = podCondition(pod, 'Ready');
    const condition = ready && updatedPodCondition(pod, { ...ready, status: 'False' }, this.now);
    if (!condition) return;
    const tell = (): void =>
      this.#recorder.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready', { kind: podKind });
    try {
      await this.#context.clients.core.v1
        .pods(pod.metadata.namespace ?? '')
        .updateStatus(withPodCondition(pod, condition));
      tell();
    } catch (error) {
      if (isNotFound(error)) return;
      tell();
      throw error;
    }
  }
}
