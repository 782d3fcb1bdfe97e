import type { MetricDefinition, Metrics } from '../observe/metrics.ts';

interface Recorded {
  readonly metrics: Metrics;
  /** Values by name and labels; the observations of a histogram as a list. */
  readonly values: Record<string, number | number[]>;
  readonly definitions: Map<string, MetricDefinition & { readonly buckets?: readonly number[] }>;
}

/** Metrics whose values a test can read. */
export function recordingMetrics(): Recorded {
  const values: Recorded['values'] = {};
  const definitions: Recorded['definitions'] = new Map();
  const keyOf = (name: string, labels: readonly string[]): string => `${name}{${labels.join(',')}}`;
  const metrics: Metrics = {
    counter: (definition) => {
      definitions.set(definition.name, definition);
      return {
        add: (value, ...labels) => {
          const key = keyOf(definition.name, labels);
          values[key] = Number(values[key] ?? 0) + value;
        },
      };
    },
    gauge: (definition) => {
      definitions.set(definition.name, definition);
      return {
        set: (value, ...labels) => {
          values[keyOf(definition.name, labels)] = value;
        },
      };
    },
    histogram: (definition) => {
      definitions.set(definition.name, definition);
      return {
        observe: (value, ...labels) => {
          const key = keyOf(definition.name, labels);
          const before = values[key];
          values[key] = [...(Array.isArray(before) ? before : []), value];
        },
      };
    },
  };
  return { metrics, values, definitions };
}
