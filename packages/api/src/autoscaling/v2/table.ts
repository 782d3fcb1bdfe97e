import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../generated/autoscaling/v2.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';

const unknown = '<unknown>';
/** Go's output for a nil amount. */
const missing = '<nil>';
const shown = 2;

const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;

/**
 * Formats the target and current value of Pods, Object and External metrics. An average is marked as such where the
 * metric can also have a total.
 */
function amounts(target: MetricTarget, current: MetricValueStatus | undefined, isAlwaysAverage: boolean): string {
  if (isAlwaysAverage) return `${current ? (current.averageValue ?? missing) : unknown}/${target.averageValue}`;
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current ? (current.value ?? missing) : unknown}/${target.value}`;
}

function resourceAmounts(
  { name, target }: { readonly name: string; readonly target: MetricTarget },
  current: MetricValueStatus | undefined,
): string {
  if (target.averageValue !== undefined)
    return `${name}: ${current ? (current.averageValue ?? missing) : unknown}/${target.averageValue}`;
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
}

function metricCell({ type, ...spec }: MetricSpec, status: MetricStatus | undefined): string {
  if (type === 'External' && spec.external) return amounts(spec.external.target, status?.external?.current, false);
  if (type === 'Object' && spec.object) return amounts(spec.object.target, status?.object?.current, false);
  if (type === 'Pods' && spec.pods) return amounts(spec.pods.target, status?.pods?.current, true);
  if (type === 'Resource' && spec.resource) return resourceAmounts(spec.resource, status?.resource?.current);
  if (type === 'ContainerResource' && spec.containerResource)
    return resourceAmounts(spec.containerResource, status?.containerResource?.current);
  return '<unknown type>';
}

function metricsCell(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  const cells = specs.slice(0, shown).map((spec, i) => metricCell(spec, statuses[i]));
  const more = specs.length > shown ? ` + ${specs.length - shown} more...` : '';
  return `${cells.join(', ')}${more}`;
}

export const horizontalPodAutoscalerTable: TablePrinter<HorizontalPodAutoscaler> = {
  columns: columns('Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age'),
  row: ({ metadata, spec, status }, context) => [
    metadata.name ?? '',
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    metricsCell(spec.metrics ?? [], status?.currentMetrics ?? []),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status?.currentReplicas ?? 0,
    translateTimestampSince(metadata.creationTimestamp, context),
  ],
};
