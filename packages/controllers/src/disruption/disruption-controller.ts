import type { Pod } from '@coxswain/api/core/v1';
import type { PodDisruptionBudget } from '@coxswain/api/policy/v1';
import { isConflict, messageOf } from '@coxswain/apimachinery/errors';
import { labelSelectorAsSelector, type Selector } from '@coxswain/apimachinery/labels';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { deletedObject, type EventRecorder, NAMESPACE_INDEX, type SharedIndexInformer } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { labelSelectorText } from '../framework/labels/label-selector-text.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { updatedPodCondition, withPodCondition } from '../framework/pods/updated-pod-condition.ts';
import {
  budgetStatus,
  countHealthy,
  desiredHealthy,
  failedStatus,
  needsScale,
  pendingDisruptions,
} from './budget-status.ts';
import { type ExpectedScale, PodScales } from './pod-scales.ts';
import { staleInMs } from './stale-disruption.ts';

/** For events: cached objects lack apiVersion and kind. */
const podKind = { kind: { group: '', version: 'v1', kind: 'Pod' } };
const budgetKind = { kind: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' } };

const selectorOf = ({ spec }: PodDisruptionBudget): Selector => labelSelectorAsSelector(spec?.selector);

export class DisruptionController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #budgets: SharedIndexInformer<PodDisruptionBudget>;
  readonly #lookup: OwnerLookup<PodDisruptionBudget>;
  readonly #scales: PodScales;
  readonly #budgetLoop: ReconcileLoop;
  readonly #staleLoop: ReconcileLoop;

  constructor(context: ControllerContext) {
    const { core, apps, policy } = context.informers;
    this.#context = context;
    this.#recorder = context.recorder('controllermanager');
    this.#pods = core.v1.pods.informer;
    this.#budgets = policy.v1.podDisruptionBudgets.informer;
    this.#lookup = new OwnerLookup(this.#budgets, 'PodDisruptionBudget', selectorOf);
    this.#scales = new PodScales(context);
    const controllers = [
      core.v1.replicationControllers.informer,
      apps.v1.replicaSets.informer,
      apps.v1.deployments.informer,
      apps.v1.statefulSets.informer,
    ];
    this.#budgetLoop = new ReconcileLoop(context, {
      name: 'disruption',
      workers: 1,
      synced: [this.#pods, this.#budgets, ...controllers],
      reconcile: (key) => this.#reconcileBudget(key),
    });
    this.#staleLoop = new ReconcileLoop(context, {
      name: 'stale_pod_disruption',
      workers: 1,
      synced: [this.#pods],
      reconcile: (key) => this.#reconcilePod(key),
    });
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#budgetLoop.run(signal), this.#staleLoop.run(signal)]);
  }

  #watch(): void {
    const enqueue = (budget: PodDisruptionBudget): void => this.#budgetLoop.add(budget);
    this.#budgets.addEventHandler({ onAdd: enqueue, onUpdate: (_, budget) => enqueue(budget) });
    const onPod = (pod: Pod): void => {
      this.#enqueueBudgetOf(pod);
      const delayMs = staleInMs(pod, this.#context.clock.now());
      if (delayMs !== undefined) this.#staleLoop.addAfter(pod, delayMs);
    };
    this.#pods.addEventHandler({
      onAdd: onPod,
      onUpdate: (_, pod) => onPod(pod),
      onDelete: (pod) => this.#enqueueBudgetOf(deletedObject(pod)),
    });
  }

  #enqueueBudgetOf(pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata;
    const budgets = this.#budgets.indexer
      .byIndex(NAMESPACE_INDEX, namespace)
      .filter((budget) => this.#lookup.matches(budget, pod));
    const [first] = budgets;
    if (!first) return;
    if (budgets.length > 1) {
      const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`;
      this.#recorder.event(pod, 'Warning', 'MultiplePodDisruptionBudgets', message, podKind);
    }
    this.#budgetLoop.add(first);
  }

  async #reconcileBudget(key: string): Promise<ReconcileResult | undefined> {
    const budget = this.#budgets.indexer.getByKey(key);
    if (!budget) return;
    try {
      return await this.#updateBudget(budget);
    } catch (error) {
      if (isConflict(error)) throw error;
      this.#context.logger.error('Failed to sync PodDisruptionBudget', error, { podDisruptionBudget: key });
      const message = messageOf(error);
      const status = failedStatus(budget, message, this.#now);
      if (status) await this.#write({ ...budget, status });
    }
  }

  async #updateBudget(budget: PodDisruptionBudget): Promise<ReconcileResult | undefined> {
    const pods = this.#podsOf(budget);
    const { expectedPods, unmanaged } = await this.#expectedScale(budget, pods);
    const desired = this.#countingExpected(budget, () => desiredHealthy(budget, expectedPods));
    if (unmanaged.length > 0) {
      const message =
        `Pods selected by this PodDisruptionBudget (selector: ${labelSelectorText(budget.spec?.selector)}) were found ` +
        'to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
        'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
      this.#recorder.event(budget, 'Warning', 'UnmanagedPods', message, budgetKind);
    }
    const now = this.#context.clock.now();
    const disruptions = pendingDisruptions(pods, budget, now);
    const { namespace } = budget.metadata;
    for (const pod of disruptions.overdue) {
      // Upstream names the namespace twice instead of the budget.
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      this.#recorder.event(pod, 'Warning', 'NotDeleted', message, podKind);
    }
    const status = budgetStatus(
      budget,
      {
        currentHealthy: countHealthy(pods, disruptions.pods, now),
        desiredHealthy: desired,
        expectedPods,
        disruptedPods: disruptions.pods,
      },
      this.#now,
    );
    if (status) await this.#write({ ...budget, status });
    const { recheckAt } = disruptions;
    // A pod is overdue only after its time, so one millisecond is added.
    return recheckAt === undefined ? undefined : { requeueAfterMs: recheckAt + 1 - now };
  }

  #podsOf(budget: PodDisruptionBudget): Pod[] {
    let selector: Selector;
    try {
      selector = selectorOf(budget);
    } catch (error) {
      const message = `Failed to get pods: ${messageOf(error)}`;
      this.#recorder.event(budget, 'Warning', 'NoPods', message, budgetKind);
      throw error;
    }
    const pods = this.#context.informers.core.v1.pods.lister.namespace(budget.metadata.namespace ?? '').list(selector);
    if (pods.length === 0) this.#recorder.event(budget, 'Normal', 'NoPods', 'No matching pods found', budgetKind);
    return pods;
  }

  async #expectedScale(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<ExpectedScale> {
    if (!needsScale(budget)) {
      return { expectedPods: budget.spec?.minAvailable === undefined ? 0 : pods.length, unmanaged: [] };
    }
    try {
      return await this.#scales.expectedScale(pods);
    } catch (error) {
      throw this.#countingFailed(budget, error);
    }
  }

  #countingExpected<T>(budget: PodDisruptionBudget, count: () => T): T {
    try {
      return count();
    } catch (error) {
      throw this.#countingFailed(budget, error);
    }
  }

  #countingFailed(budget: PodDisruptionBudget, error: unknown): unknown {
    const problem = messageOf(error);
    const message = `Failed to calculate the number of expected pods: ${problem}`;
    this.#recorder.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message, budgetKind);
    return error;
  }

  /** Sets the DisruptionTarget condition to False if the pod was not deleted within the timeout. */
  async #reconcilePod(key: string): Promise<ReconcileResult | undefined> {
    const pod = this.#pods.indexer.getByKey(key);
    const delayMs = pod && staleInMs(pod, this.#context.clock.now());
    if (!pod || delayMs === undefined) return;
    if (delayMs > 0) return { requeueAfterMs: delayMs };
    const { namespace = '', generation = 0 } = pod.metadata;
    const wanted = {
      type: 'DisruptionTarget',
      status: 'False',
      ...(generation > 0 && { observedGeneration: generation }),
    } as const;
    const condition = updatedPodCondition(pod, wanted, timeFromDate(this.#now));
    if (condition) await this.#context.clients.core.v1.pods(namespace).updateStatus(withPodCondition(pod, condition));
  }

  get #now(): Date {
    return new Date(this.#context.clock.now());
  }

  async #write(budget: PodDisruptionBudget): Promise<void> {
    const { namespace = '' } = budget.metadata;
    await this.#context.clients.policy.v1.podDisruptionBudgets(namespace).updateStatus(budget);
  }
}
