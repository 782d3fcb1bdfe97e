import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '@coxswain/api/autoscaling/v2';
import type { Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { labelSelectorAsSelector, type Selector } from '@coxswain/apimachinery/labels';
import { Quantity, Scale } from '@coxswain/apimachinery/quantity';
import { isPodReady } from '@coxswain/component-helpers';
import { labelSelectorText } from '../framework/labels/label-selector-text.ts';
import type { MetricsClient, PodMetrics } from './metrics-client.ts';
import { maxInt64 } from './numbers.ts';
import { groupPods, type ReadinessRules } from './pod-groups.ts';
import { requestsOf } from './pod-requests.ts';
import {
  averageTarget,
  type Proposal,
  replicasForPods,
  replicasForValue,
  replicasForValuePerPod,
  type Tolerances,
  type UsageTarget,
  utilizationTarget,
} from './replica-count.ts';

/** The state of the target that a metric is compared with. */
export interface ScaledTarget {
  readonly namespace: string;
  readonly selector: Selector;
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
}

/** The number of replicas that one metric proposes. */
export interface MetricProposal {
  readonly replicas: number;
  /** The metric's name in events and conditions. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric without a usable value, with the reason and message for the autoscaler's event and condition. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
  /** The reason of the event and the condition. */
  readonly reason: string;
  /** The message of the event and the condition. */
  readonly problem: string;

  constructor(reason: string, problem: string, message: string, cause: unknown) {
    super(message, { cause });
    this.reason = reason;
    this.problem = problem;
  }
}

export class MetricProposals {
  readonly #metrics: MetricsClient;
  readonly #rules: ReadinessRules;
  readonly #now: () => number;

  constructor(metrics: MetricsClient, rules: ReadinessRules, now: () => number) {
    this.#metrics = metrics;
    this.#rules = rules;
    this.#now = now;
  }

  /** Returns the proposal of a metric. Rejects with a `MetricError`. */
  async propose(metric: MetricSpec, target: ScaledTarget): Promise<MetricProposal> {
    const { resource, containerResource, pods, object, external } = metric;
    if (metric.type === 'Resource' && resource) {
      const prefix = `failed to get ${resource.name} resource metric value`;
      return await explained('FailedGetResourceMetric', prefix, async () => {
        const { current, ...proposal } = await this.#resource(resource.name, '', resource.target, target);
        return { ...proposal, status: { type: 'Resource', resource: { name: resource.name, current } } };
      });
    }
    if (metric.type === 'ContainerResource' && containerResource) {
      const { name, container } = containerResource;
      const prefix = `failed to get ${container} container metric value`;
      return await explained('FailedGetContainerResourceMetric', prefix, async () => {
        const { current, ...proposal } = await this.#resource(name, container, containerResource.target, target);
        return { ...proposal, status: { type: 'ContainerResource', containerResource: { name, container, current } } };
      });
    }
    if (metric.type === 'Pods' && pods) {
      const prefix = 'failed to get pods metric value';
      return await explained('FailedGetPodsMetric', prefix, () => this.#podsMetric(pods, target));
    }
    if (metric.type === 'Object' && object) {
      const prefix = 'failed to get object metric value';
      return await explained('FailedGetObjectMetric', prefix, () => this.#objectMetric(object, target));
    }
    if (metric.type === 'External' && external) {
      const prefix = `failed to get ${external.metric.name} external metric value`;
      return await explained('FailedGetExternalMetric', prefix, () => this.#externalMetric(external, target));
    }
    const message = `unknown metric source type "${metric.type}"`;
    throw new MetricError('InvalidMetricSourceType', message, message, undefined);
  }

  async #resource(
    resource: string,
    container: string,
    { averageValue, averageUtilization }: MetricTarget,
    target: ScaledTarget,
  ): Promise<Omit<MetricProposal, 'status'> & { current: MetricValueStatus }> {
    const measure = async (targetFor: () => UsageTarget): Promise<Proposal> => {
      const { namespace, selector } = target;
      const metrics = await prefixed(`unable to get metrics for resource ${resource}`, () =>
        this.#metrics.resourceMetric(resource, namespace, selector, container),
      );
      return this.#forPods(metrics, resource, target, targetFor);
    };
    const format = resource === 'memory' ? 'BinarySI' : 'DecimalSI';
    const quantity = (value: bigint): string => Quantity.ofMilli(value, format).toString();
    if (averageValue !== undefined) {
      const { replicas, usage } = await prefixed(`failed to get ${resource} usage`, () =>
        measure(() => averageTarget(milli(averageValue))),
      );
      return { replicas, name: `${resource} resource`, current: { averageValue: quantity(usage.average) } };
    }
    if (averageUtilization === undefined) {
      throw new Error(
        'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
      );
    }
    const { replicas, usage } = await prefixed(`failed to get ${resource} utilization`, () =>
      measure(() => utilizationTarget(averageUtilization, requestsOf(target.pods, resource, container))),
    );
    const kind = container === '' ? 'resource' : 'container resource';
    return {
      replicas,
      name: `${resource} ${kind} utilization (percentage of request)`,
      current: { averageUtilization: usage.utilization ?? 0, averageValue: quantity(usage.average) },
    };
  }

  #forPods(metrics: PodMetrics, resource: string, target: ScaledTarget, targetFor: () => UsageTarget): Proposal {
    const { pods, specReplicas, tolerances } = target;
    if (pods.length === 0) throw new Error(noPods);
    const groups = groupPods(pods, metrics, resource === 'cpu', this.#rules, this.#now());
    // Pod requests are read only when there are metrics to compare them with, so that missing metrics are reported first.
    let known: UsageTarget | undefined;
    const usageTarget = (): UsageTarget => {
      known ??= targetFor();
      return known;
    };
    const lazy: UsageTarget = {
      usageOf: (values) => usageTarget().usageOf(values),
      fallback: (podName) => usageTarget().fallback(podName),
    };
    return replicasForPods(metrics, groups, specReplicas, lazy, tolerances);
  }

  async #podsMetric({ metric, target }: NonNullable<MetricSpec['pods']>, scaled: ScaledTarget) {
    const series = labelSelectorAsSelector(metric.selector);
    const metrics = await prefixed(`unable to get metric ${metric.name}`, () =>
      this.#metrics.podsMetric(metric.name, scaled.namespace, scaled.selector, series),
    );
    const { replicas, usage } = this.#forPods(metrics, '', scaled, () =>
      averageTarget(milli(target.averageValue ?? '0')),
    );
    const current = { averageValue: decimal(usage.average) };
    return { replicas, name: `pods metric ${metric.name}`, status: { type: 'Pods', pods: { metric, current } } };
  }

  async #objectMetric({ metric, target, describedObject }: NonNullable<MetricSpec['object']>, scaled: ScaledTarget) {
    const series = labelSelectorAsSelector(metric.selector);
    const { namespace, specReplicas, statusReplicas, tolerances } = scaled;
    const { kind, name } = describedObject;
    // The parts of this message are in the same order as in upstream.
    const measure = (): Promise<bigint> =>
      prefixed(
        `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/`,
        () => this.#metrics.objectMetric(metric.name, namespace, describedObject, series),
        '',
      );
    const statusOf = (current: MetricValueStatus): MetricStatus => ({
      type: 'Object',
      object: { describedObject, metric, current },
    });
    if (target.type === 'Value' && target.value !== undefined) {
      const value = await measure();
      const ready = (): number => readyPods(scaled.pods);
      const replicas = replicasForValue(value, milli(target.value), specReplicas, tolerances, ready);
      return { replicas, name: `${kind} metric ${metric.name}`, status: statusOf({ value: decimal(value) }) };
    }
    if (target.type === 'AverageValue' && target.averageValue !== undefined) {
      const perPod = milli(target.averageValue);
      const value = await measure().catch((error: unknown) => {
        throw new OuterError(error, `failed to get ${metric.name} object metric`);
      });
      const { replicas, average } = replicasForValuePerPod(value, perPod, statusReplicas, tolerances);
      return { replicas, name: externalName(metric), status: statusOf({ averageValue: decimal(average) }) };
    }
    throw new Error('invalid object metric source: neither a value target nor an average value target was set');
  }

  async #externalMetric({ metric, target }: NonNullable<MetricSpec['external']>, scaled: ScaledTarget) {
    const { namespace, specReplicas, statusReplicas, tolerances } = scaled;
    const { name } = metric;
    const statusOf = (current: MetricValueStatus): MetricStatus => ({
      type: 'External',
      external: { metric, current },
    });
    const measure = async (outer: string): Promise<readonly bigint[]> => {
      try {
        const series = labelSelectorAsSelector(metric.selector);
        return await prefixed(
          `unable to get external metric ${namespace}/${name}/${labelSelectorText(metric.selector)}`,
          () => this.#metrics.externalMetric(name, namespace, series),
        );
      } catch (error) {
        throw new OuterError(error, outer);
      }
    };
    if (target.averageValue !== undefined) {
      const samples = await measure(`failed to get ${name} external metric`);
      const value = samples.reduce((sum, one) => (sum + one < 0n ? maxInt64 : atMost(sum + one)), 0n);
      const perPod = milli(target.averageValue);
      const { replicas, average } = replicasForValuePerPod(value, perPod, statusReplicas, tolerances);
      return { replicas, name: externalName(metric), status: statusOf({ averageValue: decimal(average) }) };
    }
    if (target.value !== undefined) {
      const samples = await measure(`failed to get external metric ${name}`);
      const value = samples.reduce((sum, one) => atMost(sum + one), 0n);
      const ready = (): number => readyPods(scaled.pods);
      let replicas: number;
      try {
        replicas = replicasForValue(value, milli(target.value), specReplicas, tolerances, ready);
      } catch (error) {
        throw new OuterError(error, `failed to get external metric ${name}`);
      }
      return { replicas, name: externalName(metric), status: statusOf({ value: decimal(value) }) };
    }
    throw new Error('invalid external metric source: neither a value target nor an average value target was set');
  }
}

/** An error whose event and condition have the inner error's message, while the log has the whole message. */
class OuterError extends Error {
  readonly inner: unknown;

  constructor(inner: unknown, prefix: string) {
    super(`${prefix}: ${messageOf(inner)}`, { cause: inner });
    this.inner = inner;
  }
}

const noPods = 'no pods returned by selector while calculating replica count';

function readyPods(pods: readonly Pod[]): number {
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods}`);
  return pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length;
}

async function explained(
  reason: string,
  prefix: string,
  propose: () => Promise<MetricProposal>,
): Promise<MetricProposal> {
  try {
    return await propose();
  } catch (error) {
    const problem = messageOf(error instanceof OuterError ? error.inner : error);
    throw new MetricError(reason, problem, `${prefix}: ${messageOf(error)}`, error);
  }
}

async function prefixed<T>(prefix: string, call: () => Promise<T>, separator = ': '): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new Error(`${prefix}${separator}${messageOf(error)}`, { cause: error });
  }
}

const externalName = ({ name, selector }: { name: string; selector?: Parameters<typeof labelSelectorText>[0] }) =>
  `external metric ${name}(${labelSelectorText(selector)})`;

const atMost = (value: bigint): bigint => (value > maxInt64 ? maxInt64 : value);
const milli = (quantity: string): bigint => Quantity.parse(quantity).scaledValue(Scale.Milli);
const decimal = (value: bigint): string => Quantity.ofMilli(value).toString();

/** Returns the autoscaler's tolerances. */
export function tolerancesOf({ spec }: HorizontalPodAutoscaler, byDefault: number): Tolerances {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const of = (quantity: string | undefined): number =>
    quantity === undefined ? byDefault : Quantity.parse(quantity).asApproximateFloat();
  return { scaleUp: of(scaleUp?.tolerance), scaleDown: of(scaleDown?.tolerance) };
}
