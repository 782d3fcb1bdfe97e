import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '@coxswain/api/autoscaling/v2';
import type { Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { parse, type Selector } from '@coxswain/apimachinery/labels';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { deletionHandlingKey, type EventRecorder, metaNamespaceKey } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { AutoscalerReport } from './autoscaler-report.ts';
import { MetricError, MetricProposals, tolerancesOf } from './metric-proposal.ts';
import type { MetricsClient } from './metrics-client.ts';
import { normalize, normalizeWithBehavior } from './normalize.ts';
import type { ReadinessRules } from './pod-groups.ts';
import { RestMetricsClient } from './rest-metrics-client.ts';
import { type FoundScale, ScaleTargets } from './scale-target.ts';
import { ScalingHistory } from './scaling-history.ts';
import { SelectedPods } from './selected-pods.ts';

export interface HorizontalPodAutoscalerOptions extends Partial<ReadinessRules> {
  /** Default: the aggregated metrics APIs. */
  readonly metrics?: MetricsClient;
  readonly syncPeriodMs?: number;
  readonly downscaleStabilizationMs?: number;
  /** The tolerated relative deviation of usage from its target. */
  readonly tolerance?: number;
  /** How many autoscalers are reconciled at the same time. */
  readonly workers?: number;
}

const defaults = {
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 5 * 60_000,
  tolerance: 0.1,
  cpuInitializationPeriodMs: 5 * 60_000,
  initialReadinessDelayMs: 30_000,
  workers: 5,
};

export function newAutoscaler(context: ControllerContext, options: HorizontalPodAutoscalerOptions): Controller {
  return new Autoscaler(context, options).loop;
}

class Autoscaler {
  readonly loop: ReconcileLoop;
  readonly #context: ControllerContext;
  readonly #options: typeof defaults;
  readonly #recorder: EventRecorder;
  readonly #targets: ScaleTargets;
  readonly #proposals: MetricProposals;
  readonly #selected = new SelectedPods();
  /** By key of existing autoscalers. */
  readonly #histories = new Map<string, ScalingHistory>();

  constructor(context: ControllerContext, { metrics, ...options }: HorizontalPodAutoscalerOptions) {
    this.#context = context;
    this.#options = { ...defaults, ...options };
    this.#recorder = context.recorder('horizontal-pod-autoscaler');
    this.#targets = new ScaleTargets(context);
    const { syncPeriodMs, workers } = this.#options;
    const { rest, discovery, mapper, clock } = context;
    const client = metrics ?? new RestMetricsClient({ rest, discovery, mapper, clock, versionTtlMs: syncPeriodMs });
    this.#proposals = new MetricProposals(client, this.#options, () => clock.now());
    const autoscalers = context.informers.autoscaling.v2.horizontalPodAutoscalers.informer;
    this.loop = new ReconcileLoop(context, {
      name: 'horizontalpodautoscaler',
      workers,
      synced: [autoscalers, context.informers.core.v1.pods.informer],
      // A constant period without backoff: there are no new metrics sooner.
      rateLimiter: { when: () => syncPeriodMs, forget: () => {}, numRequeues: () => 1 },
      reconcile: (key) => this.#reconcile(key),
    });
    const enqueue = (autoscaler: HorizontalPodAutoscaler): void => this.loop.addAfter(autoscaler, syncPeriodMs);
    autoscalers.addEventHandler({
      onAdd: enqueue,
      onUpdate: (_, autoscaler) => enqueue(autoscaler),
      onDelete: (deleted) => void this.#forget(deletionHandlingKey(deleted)),
    });
  }

  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    const autoscaler = this.#context.informers.autoscaling.v2.horizontalPodAutoscalers.informer.indexer.getByKey(key);
    if (!autoscaler) return this.#forget(key);
    const report = new AutoscalerReport(autoscaler, this.#recorder, this.#context.clock.now());
    try {
      await this.#scale(autoscaler, report);
    } finally {
      await this.#writeStatus(autoscaler, report.status);
    }
    if (report.problem) throw report.problem;
    return { requeueAfterMs: this.#options.syncPeriodMs };
  }

  #forget(key: string): undefined {
    this.#selected.delete(key);
    this.#histories.delete(key);
  }

  /** Scales the target to its desired size. The report is complete even if this fails. */
  async #scale(autoscaler: HorizontalPodAutoscaler, report: AutoscalerReport): Promise<void> {
    const found = await this.#targets.find(autoscaler).catch((error: unknown) => {
      report.failedGetScale(error);
      throw error;
    });
    report.set(
      'AbleToScale',
      'True',
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    );
    const currentReplicas = found.scale.spec?.replicas ?? 0;
    const history = this.#history(autoscaler, currentReplicas);
    const { minReplicas = 1, maxReplicas } = autoscaler.spec;
    if (currentReplicas === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      report.set('ScalingActive', 'False', 'ScalingDisabled', message);
      report.remove('ScaledToZero');
      report.setReplicas(0, 0);
    } else if (currentReplicas > maxReplicas) {
      const reason = 'Current number of replicas above Spec.MaxReplicas';
      await this.#rescale(autoscaler, found, { replicas: maxReplicas, reason }, report, history);
    } else if (currentReplicas < minReplicas) {
      const reason = 'Current number of replicas below Spec.MinReplicas';
      await this.#rescale(autoscaler, found, { replicas: minReplicas, reason }, report, history);
    } else await this.#scaleByMetrics(autoscaler, found, report, history);
  }

  async #scaleByMetrics(
    autoscaler: HorizontalPodAutoscaler,
    found: FoundScale,
    report: AutoscalerReport,
    history: ScalingHistory,
  ): Promise<void> {
    const currentReplicas = found.scale.spec?.replicas ?? 0;
    const wanted = await this.#wantedByMetrics(autoscaler, found, report);
    if (!wanted) return;
    const { minReplicas = 1, maxReplicas, behavior } = autoscaler.spec;
    const now = this.#context.clock.now();
    const input = { currentReplicas, desiredReplicas: wanted.replicas, minReplicas, maxReplicas, now };
    const windowMs = this.#options.downscaleStabilizationMs;
    const { replicas, ableToScale, limited } = behavior
      ? normalizeWithBehavior(input, behavior, history, windowMs)
      : normalize(input, history, windowMs);
    report.set('AbleToScale', 'True', ableToScale.reason, ableToScale.message);
    report.set('ScalingLimited', limited.isLimited ? 'True' : 'False', limited.reason, limited.message);
    if (replicas === currentReplicas) {
      report.setReplicas(currentReplicas, currentReplicas);
      return;
    }
    const why = wanted.replicas > currentReplicas ? `${wanted.metric} above target` : 'All metrics below target';
    const reason = wanted.replicas === currentReplicas ? '' : why;
    await this.#rescale(autoscaler, found, { replicas, reason }, report, history);
  }

  /**
   * Returns the highest number of replicas that a metric proposes. Returns undefined when the metrics are insufficient; the
   * report has the reason.
   */
  async #wantedByMetrics(
    autoscaler: HorizontalPodAutoscaler,
    { scale }: FoundScale,
    report: AutoscalerReport,
  ): Promise<{ readonly replicas: number; readonly metric: string } | undefined> {
    const { namespace = '' } = autoscaler.metadata;
    const specReplicas = scale.spec?.replicas ?? 0;
    report.setReplicas(specReplicas, autoscaler.status?.desiredReplicas ?? 0);
    const selected = this.#select(autoscaler, scale.status?.selector ?? '', report);
    if (!selected) return undefined;
    const target = {
      namespace,
      ...selected,
      specReplicas,
      statusReplicas: scale.status?.replicas ?? 0,
      tolerances: tolerancesOf(autoscaler, this.#options.tolerance),
    };
    const metrics = autoscaler.spec.metrics ?? [];
    const statuses: MetricStatus[] = [];
    const failures: MetricError[] = [];
    let most: { replicas: number; metric: string } | undefined;
    for (const metric of metrics) {
      try {
        const { replicas, name, status } = await this.#proposals.propose(metric, target);
        statuses.push(status);
        if (!most?.replicas || replicas > most.replicas) most = { replicas, metric: name };
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        report.warn(error.reason, error.problem);
        failures.push(error);
        statuses.push({ type: '' });
      }
    }
    report.setMetrics(statuses);
    const [first] = failures;
    const problem =
      first &&
      `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.message}`;
    // If some metrics are missing, scaling up is safe but scaling down is not.
    if (first && problem && (!most || most.replicas < specReplicas)) {
      report.unableToCompute(first.reason, first.problem);
      report.failedToCompute(problem);
      return undefined;
    }
    const { replicas = 0, metric = '' } = most ?? {};
    const message = `the HPA was able to successfully calculate a replica count from ${metric}`;
    report.set('ScalingActive', 'True', 'ValidMetricFound', message);
    if (problem) report.problem = new Error(problem);
    return { replicas, metric };
  }

  /** Returns the target's pods by its scale's selector. Returns undefined when the selector is unusable; the report has the reason. */
  #select(
    autoscaler: HorizontalPodAutoscaler,
    text: string,
    report: AutoscalerReport,
  ): { readonly selector: Selector; readonly pods: readonly Pod[] } | undefined {
    const { namespace = '' } = autoscaler.metadata;
    if (text === '') {
      report.warn('SelectorRequired', 'selector is required');
      report.set('ScalingActive', 'False', 'InvalidSelector', "the HPA target's scale is missing a selector");
      report.failedToCompute('selector is required');
      return undefined;
    }
    const invalid = (reason: string, message: string): undefined => {
      report.warn(reason, message);
      report.set('ScalingActive', 'False', reason, message);
      report.failedToCompute(message);
    };
    let selector: Selector;
    try {
      selector = parse(text);
    } catch (error) {
      const problem = messageOf(error);
      return invalid(
        'InvalidSelector',
        `couldn't convert selector into a corresponding internal selector object: ${problem}`,
      );
    }
    this.#selected.set(namespace, metaNamespaceKey(autoscaler), selector);
    const pods = this.#context.informers.core.v1.pods.lister.namespace(namespace).list(selector);
    const autoscalers = this.#selected.autoscalersOf(namespace, pods);
    if (autoscalers.length <= 1) return { selector, pods };
    const message = `pods by selector ${text} are controlled by multiple HPAs: [${autoscalers.join(' ')}]`;
    return invalid('AmbiguousSelector', message);
  }

  async #rescale(
    autoscaler: HorizontalPodAutoscaler,
    found: FoundScale,
    { replicas, reason }: { readonly replicas: number; readonly reason: string },
    report: AutoscalerReport,
    history: ScalingHistory,
  ): Promise<void> {
    const currentReplicas = found.scale.spec?.replicas ?? 0;
    try {
      await this.#targets.resize(found, replicas);
    } catch (error) {
      report.setReplicas(currentReplicas, autoscaler.status?.desiredReplicas ?? 0);
      report.failedRescale(replicas, reason, error);
      throw error;
    }
    report.rescaled(currentReplicas, replicas, reason);
    const { behavior } = autoscaler.spec;
    if (!behavior) return;
    const now = this.#context.clock.now();
    if (replicas > currentReplicas) history.scaledUp(replicas - currentReplicas, now, behavior.scaleUp);
    else history.scaledDown(currentReplicas - replicas, now, behavior.scaleDown);
  }

  /** Returns the autoscaler's history. A new one starts with the current size as its first recommendation. */
  #history(autoscaler: HorizontalPodAutoscaler, replicas: number): ScalingHistory {
    const key = metaNamespaceKey(autoscaler);
    const history = this.#histories.get(key) ?? new ScalingHistory({ replicas, at: this.#context.clock.now() });
    this.#histories.set(key, history);
    return history;
  }

  async #writeStatus(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus): Promise<void> {
    if (semanticEqual(autoscaler.status ?? { desiredReplicas: 0 }, status)) return;
    const { namespace = '', name } = autoscaler.metadata;
    const client = this.#context.clients.autoscaling.v2.horizontalPodAutoscalers(namespace);
    try {
      await client.updateStatus({ ...autoscaler, status });
    } catch (error) {
      const message = messageOf(error);
      this.#recorder.event(autoscaler, 'Warning', 'FailedUpdateStatus', message, { kind: client.resource });
      throw new Error(`failed to update status for ${name}: ${message}`, { cause: error });
    }
  }
}
