import type { Node, Pod, Taint } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import {
  deletionHandlingKey,
  type EventRecorder,
  metaNamespaceKey,
  type SharedIndexInformer,
  splitKey,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addNodeIndex, podsOnNode } from '../framework/nodes/pod-node-index.ts';
import { evictPod } from '../framework/pods/evict-pod.ts';
import { EvictionTimers } from './eviction-timers.ts';
import { noExecuteTaints, toleratedForMs } from './toleration-time.ts';

const workers = 8;

export class TaintEvictionController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #nodes: SharedIndexInformer<Node>;
  readonly #nodeLoop: ReconcileLoop;
  readonly #podLoop: ReconcileLoop;
  readonly #evictionLoop: ReconcileLoop;
  readonly #timers: EvictionTimers;
  /** Pods that are due for eviction but not deleted yet. Each is in the queue of `#evictionLoop`, or its retry is pending. */
  readonly #due = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder('taint-eviction-controller');
    this.#pods = context.informers.core.v1.pods.informer;
    this.#nodes = context.informers.core.v1.nodes.informer;
    addNodeIndex(this.#pods);
    const synced = [this.#pods, this.#nodes];
    const loop = (name: string, reconcile: (key: string) => Promise<void>): ReconcileLoop =>
      new ReconcileLoop(context, { name, workers, synced, reconcile });
    this.#nodeLoop = loop('noexec_taint_node', async (name) => this.#checkNode(name));
    this.#podLoop = loop('noexec_taint_pod', async (key) => this.#checkPod(key));
    this.#evictionLoop = loop('noexec_taint_eviction', (key) => this.#evict(key));
    this.#timers = new EvictionTimers(context.clock, (key) => this.#beginEviction(key));
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    const loops = [this.#nodeLoop, this.#podLoop, this.#evictionLoop];
    await Promise.all(loops.map((loop) => loop.run(signal)));
    this.#timers.cancelAll();
  }

  #watch(): void {
    const taintsOf = ({ spec }: Node): Taint[] => noExecuteTaints(spec?.taints);
    this.#nodes.addEventHandler({
      onAdd: (node) => this.#nodeLoop.add(node),
      onUpdate: (old, node) => {
        if (!semanticEqual(taintsOf(old), taintsOf(node))) this.#nodeLoop.add(node);
      },
    });
    const onPod = (pod: Pod): void => {
      // A pod without a node is not affected by taints.
      if (pod.spec?.nodeName) this.#podLoop.add(pod);
    };
    this.#pods.addEventHandler({
      onAdd: onPod,
      onUpdate: (old, pod) => {
        const isMoved = old.spec?.nodeName !== pod.spec?.nodeName;
        if (isMoved || !semanticEqual(old.spec?.tolerations, pod.spec?.tolerations)) onPod(pod);
      },
      // Cancelled at once, so that another pod of that name is not evicted instead.
      onDelete: (deleted) => this.#cancel(deletionHandlingKey(deleted)),
    });
  }

  #checkNode(name: string): void {
    const node = this.#nodes.indexer.getByKey(name);
    if (!node) return;
    const taints = noExecuteTaints(node.spec?.taints);
    for (const pod of podsOnNode(this.#pods.indexer, name)) {
      if (taints.length > 0) this.#checkTolerations(pod, taints);
      else this.#cancel(metaNamespaceKey(pod));
    }
  }

  #checkPod(key: string): void {
    const pod = this.#pods.indexer.getByKey(key);
    const node = pod?.spec?.nodeName ? this.#nodes.indexer.getByKey(pod.spec.nodeName) : undefined;
    const taints = noExecuteTaints(node?.spec?.taints);
    if (pod && taints.length > 0) this.#checkTolerations(pod, taints);
  }

  #checkTolerations(pod: Pod, taints: readonly Taint[]): void {
    const key = metaNamespaceKey(pod);
    const delayMs = toleratedForMs(taints, pod.spec?.tolerations);
    if (delayMs === Number.POSITIVE_INFINITY) this.#cancel(key);
    else if (this.#due.has(key)) return;
    else if (delayMs === undefined) {
      this.#cancel(key);
      this.#beginEviction(key);
    } else if (!this.#timers.has(key)) this.#timers.set(key, delayMs);
    // Otherwise the running timer continues: later changes of tolerations or taints neither extend nor shorten it.
  }

  #cancel(key: string): void {
    this.#due.delete(key);
    if (this.#timers.cancel(key)) this.#tell(key, `Cancelling deletion of Pod ${key}`);
  }

  #beginEviction(key: string): void {
    this.#due.add(key);
    this.#tell(key, `Marking for deletion Pod ${key}`);
    this.#evictionLoop.queue.add(key);
  }

  /** Evicts the pod. Differs from upstream, which stops after five failures. */
  async #evict(key: string): Promise<void> {
    if (!this.#due.has(key)) return;
    const { namespace, name } = splitKey(key);
    try {
      const pod = await this.#context.clients.core.v1.pods(namespace).get(name);
      const { generation = 0 } = pod.metadata;
      await evictPod(this.#context, pod, {
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
        ...(generation > 0 && { observedGeneration: generation }),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#due.delete(key);
  }

  #tell(key: string, message: string): void {
    const pod = { apiVersion: 'v1', kind: 'Pod', ...splitKey(key) };
    this.#recorder.event(pod, 'Normal', 'TaintManagerEviction', message);
  }
}
