import { isJsonObject } from '@coxswain/apimachinery';
import type { MetricSpec, MetricStatus, MetricTarget } from '../../generated/autoscaling/v2.ts';
import { selectorForm } from '../../strategy/internal-form.ts';

type Json = Record<string, unknown>;
type SourceName = 'object' | 'pods' | 'resource' | 'containerResource' | 'external';

/**
 * For each metric source: field of v1, in the order of Go's struct → path in v2. Fields with `!` are always written in
 * v1, as zero when v2 has no value.
 */
export type SourceTable = Readonly<Record<SourceName, Readonly<Record<string, string>>>>;

export const metricSources: SourceTable = {
  object: {
    target: 'describedObject',
    metricName: 'metric.name',
    targetValue: 'target.value!',
    selector: 'metric.selector',
    averageValue: 'target.averageValue',
  },
  pods: { metricName: 'metric.name', targetAverageValue: 'target.averageValue!', selector: 'metric.selector' },
  resource: {
    name: 'name',
    targetAverageUtilization: 'target.averageUtilization',
    targetAverageValue: 'target.averageValue',
  },
  containerResource: {
    name: 'name',
    targetAverageUtilization: 'target.averageUtilization',
    targetAverageValue: 'target.averageValue',
    container: 'container',
  },
  external: {
    metricName: 'metric.name',
    metricSelector: 'metric.selector',
    targetValue: 'target.value',
    targetAverageValue: 'target.averageValue',
  },
};

export const metricStatuses: SourceTable = {
  object: {
    target: 'describedObject',
    metricName: 'metric.name',
    currentValue: 'current.value!',
    selector: 'metric.selector',
    averageValue: 'current.averageValue',
  },
  pods: { metricName: 'metric.name', currentAverageValue: 'current.averageValue!', selector: 'metric.selector' },
  resource: {
    name: 'name',
    currentAverageUtilization: 'current.averageUtilization',
    currentAverageValue: 'current.averageValue!',
  },
  containerResource: {
    name: 'name',
    currentAverageUtilization: 'current.averageUtilization',
    currentAverageValue: 'current.averageValue!',
    container: 'container',
  },
  external: {
    metricName: 'metric.name',
    metricSelector: 'metric.selector',
    currentValue: 'current.value!',
    currentAverageValue: 'current.averageValue',
  },
};

const isAlwaysWritten = (field: string): boolean => field.endsWith('!');
const partsOf = (field: string): readonly string[] => field.replace('!', '').split('.');
const sourceNames = Object.keys(metricSources) as readonly SourceName[];

/** Converts a metric to the form of v1, with fields in Go's order. */
export function metricToV1(metric: MetricSpec | MetricStatus, table: SourceTable): Json {
  const result: Json = { type: metric.type };
  for (const name of sourceNames) {
    const source = metric[name];
    if (!source) continue;
    const entries = Object.entries(table[name]).map(([v1Name, field]): [string, unknown] => {
      const value = partsOf(field).reduce<unknown>((at, part) => (isJsonObject(at) ? at[part] : undefined), source);
      return [v1Name, inGoOrder(value) ?? (isAlwaysWritten(field) ? '0' : undefined)];
    });
    result[name] = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  return result;
}

/** Returns references and selectors with fields in Go's order; other values are scalars and returned as they are. */
function inGoOrder(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if (!('kind' in value)) return selectorForm(value);
  const { kind, name, apiVersion } = value;
  return { kind, name, ...(apiVersion !== undefined && { apiVersion }) };
}

function metricToV2(metric: Json, table: SourceTable): Json {
  const result: Json = { type: metric.type };
  for (const name of sourceNames) {
    const source = metric[name];
    if (!isJsonObject(source)) continue;
    const converted: Json = {};
    for (const [v1Name, field] of Object.entries(table[name])) {
      const value = source[v1Name] ?? (isAlwaysWritten(field) ? '0' : undefined);
      const [first = '', second] = partsOf(field);
      if (second === undefined) converted[first] = value;
      else if (value !== undefined) converted[first] = { ...(converted[first] as Json | undefined), [second]: value };
      else converted[first] ??= {};
    }
    result[name] = converted;
  }
  return result;
}

/** Derives the type of a target, which v1 does not have. */
const targetTypes: Readonly<Record<SourceName, (target: Partial<MetricTarget>) => string>> = {
  object: ({ averageValue }) => (averageValue === undefined ? 'Value' : 'AverageValue'),
  pods: () => 'AverageValue',
  resource: ({ averageUtilization }) => (averageUtilization === undefined ? 'AverageValue' : 'Utilization'),
  containerResource: ({ averageUtilization }) => (averageUtilization === undefined ? 'AverageValue' : 'Utilization'),
  external: ({ value }) => (value === undefined ? 'AverageValue' : 'Value'),
};

/** Converts a metric from v1 to v2. */
export function metricSpecToV2(metric: Json): MetricSpec {
  const spec = metricToV2(metric, metricSources) as unknown as MetricSpec;
  for (const name of sourceNames) {
    const target = spec[name]?.target;
    if (!target) continue;
    target.type = targetTypes[name](target);
    // v1 always writes an amount beside the average; there, zero means none.
    if (name === 'object' && target.averageValue !== undefined && target.value === '0') delete target.value;
  }
  return spec;
}

export const metricStatusToV2 = (metric: Json): MetricStatus =>
  metricToV2(metric, metricStatuses) as unknown as MetricStatus;
