import { isJsonObject, type ObjectMeta, ownEntry } from '@coxswain/apimachinery';
import { setAnnotation } from '../../apps/v1/legacy-annotations.ts';
import type {
  HorizontalPodAutoscaler as V1,
  HorizontalPodAutoscalerSpec as V1Spec,
  HorizontalPodAutoscalerStatus as V1Status,
} from '../../generated/autoscaling/v1.ts';
import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscaler as Hub,
  HorizontalPodAutoscalerSpec as HubSpec,
  HorizontalPodAutoscalerStatus as HubStatus,
  MetricSpec,
} from '../../generated/autoscaling/v2.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import type { HubConversion } from '../../strategy/strategy.ts';
import { cpuUtilizationMetric, setHorizontalPodAutoscalerDefaults } from '../v2/defaults.ts';
import { dropRoundTripAnnotations, roundTripAnnotations } from '../v2/round-trip-annotations.ts';
import { annotationReaders } from './annotation-types.ts';
import { metricSources, metricSpecToV2, metricStatuses, metricStatusToV2, metricToV1 } from './metric-sources.ts';

/** Returns the only metric that v1 has a field for, if `metric` is one. */
const cpuUtilizationOf = ({ type, resource }: MetricSpec): number | undefined =>
  type === 'Resource' && resource?.name === 'cpu' ? resource.target.averageUtilization : undefined;

type Annotation = keyof typeof roundTripAnnotations;

/** Returns the value of an annotation; undefined when it is absent or invalid, which is not an error. */
function readAnnotation({ annotations }: ObjectMeta, name: Annotation): unknown {
  const text = ownEntry(annotations, roundTripAnnotations[name]);
  return text === undefined ? undefined : annotationReaders()[name](text);
}

/** Returns the list in an annotation; null is an empty list. */
function readList(metadata: ObjectMeta, name: Annotation): Record<string, unknown>[] | undefined {
  const text = ownEntry(metadata.annotations, roundTripAnnotations[name]);
  if (text?.trim() === 'null') return [];
  const value = readAnnotation(metadata, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : undefined;
}

function specToHub({ targetCPUUtilizationPercentage: cpu, ...spec }: V1Spec, metadata: ObjectMeta): HubSpec {
  const others = readList(metadata, 'metrics') ?? [];
  const metrics = others.map(metricSpecToV2);
  if (cpu !== undefined) metrics.push(cpuUtilizationMetric(cpu));
  // The default is set here because it depends on the annotation.
  if (metrics.length === 0) metrics.push(cpuUtilizationMetric());
  const behavior = readAnnotation(metadata, 'behavior');
  const isSet = isJsonObject(behavior) && (behavior.scaleUp !== undefined || behavior.scaleDown !== undefined);
  return { ...spec, metrics, ...(isSet && { behavior: behavior as HorizontalPodAutoscalerBehavior }) };
}

function statusToHub(status: V1Status, metadata: ObjectMeta): HubStatus {
  const { currentCPUUtilizationPercentage: cpu, ...rest } = status;
  const known = readList(metadata, 'currentMetrics')?.map(metricStatusToV2);
  const fromField =
    cpu === undefined
      ? undefined
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: cpu } } }];
  const currentMetrics = known ?? fromField;
  const conditions = readList(metadata, 'conditions') as HorizontalPodAutoscalerCondition[] | undefined;
  return { ...rest, ...(currentMetrics && { currentMetrics }), ...(conditions?.length && { conditions }) };
}

/** Formats JSON like Go: with `<`, `>` and `&` escaped. */
const goJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const behaviorForm = internalFormOf(`
HorizontalPodAutoscalerBehavior ScaleUp:*HPAScalingRules ScaleDown:*HPAScalingRules
HPAScalingRules StabilizationWindowSeconds:*i SelectPolicy:*s Policies:[]HPAScalingPolicy Tolerance:*q
HPAScalingPolicy Type:s Value:i PeriodSeconds:i
`);

const conditionToV1 = ({ type, status, lastTransitionTime, reason, message }: HorizontalPodAutoscalerCondition) => ({
  type,
  status,
  lastTransitionTime: lastTransitionTime ?? null,
  ...(reason && { reason }),
  ...(message && { message }),
});

function specFromHub({ metrics = [], behavior: _, ...spec }: HubSpec): V1Spec {
  const cpu = metrics.map(cpuUtilizationOf).find((utilization) => utilization !== undefined);
  return { ...spec, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) };
}

function statusFromHub({ currentMetrics, conditions: _, ...status }: HubStatus): V1Status {
  // Of several cpu metrics, the last one counts.
  const cpu = (currentMetrics ?? [])
    .map(({ type, resource }) =>
      type === 'Resource' && resource?.name === 'cpu' ? resource.current.averageUtilization : undefined,
    )
    .findLast((utilization) => utilization !== undefined);
  return {
    ...status,
    currentReplicas: status.currentReplicas ?? 0,
    ...(cpu !== undefined && { currentCPUUtilizationPercentage: cpu }),
  };
}

/** The spec for objects without one, which decoding does not produce. */
const noSpec: V1Spec = { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 };

/** v1 has a field for cpu utilization only; other metrics, conditions and behavior are in annotations. */
export const horizontalPodAutoscalerConversion: HubConversion<V1, Hub> = {
  toHub({ metadata = {}, spec = noSpec, status, ...type }) {
    const hub: Hub = {
      ...type,
      apiVersion: 'autoscaling/v2',
      metadata: { ...metadata },
      spec: specToHub(spec, metadata),
      ...(status && { status: statusToHub(status, metadata) }),
    };
    dropRoundTripAnnotations(hub.metadata);
    return hub;
  },
  fromHub(hub) {
    // Objects are stored as v2, and upstream sets the defaults of v2 when it reads them from the store.
    setHorizontalPodAutoscalerDefaults(hub);
    const { metadata: meta, spec, status, ...type } = hub;
    const metadata = { ...meta };
    const currentMetrics = status?.currentMetrics ?? [];
    const conditions = status?.conditions ?? [];
    const otherMetrics = (spec.metrics ?? []).filter((metric) => cpuUtilizationOf(metric) === undefined);
    const annotate = (name: Annotation, value: unknown): void =>
      setAnnotation(metadata, roundTripAnnotations[name], goJson(value));
    if (otherMetrics.length > 0)
      annotate(
        'metrics',
        otherMetrics.map((metric) => metricToV1(metric, metricSources)),
      );
    if (currentMetrics.length > 0)
      annotate(
        'currentMetrics',
        currentMetrics.map((metric) => metricToV1(metric, metricStatuses)),
      );
    if (spec.behavior) annotate('behavior', behaviorForm('HorizontalPodAutoscalerBehavior', spec.behavior));
    if (conditions.length > 0) annotate('conditions', conditions.map(conditionToV1));
    return {
      ...type,
      apiVersion: 'autoscaling/v1',
      metadata,
      spec: specFromHub(spec),
      ...(status && { status: statusFromHub(status) }),
    };
  },
};
