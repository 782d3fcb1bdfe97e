import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Label,
  isPathSegmentName,
  notSupported,
  type Path,
  Quantity,
  required,
} from '@coxswain/apimachinery';
import { invalidEach, validateContainerResourceName } from '../../core/v1/pod/index.ts';
import type { MetricIdentifier, MetricSpec, MetricTarget } from '../../generated/autoscaling/v2.ts';
import { type ReferenceOptions, validateCrossVersionObjectReference } from './object-reference.ts';

type Source = Exclude<keyof MetricSpec, 'type'>;
type Rule<S extends Source> = (source: NonNullable<MetricSpec[S]>, path: Path, options: ReferenceOptions) => ErrorList;

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function validateIdentifier({ name }: MetricIdentifier, path: Path): ErrorList {
  const at = path.child('name');
  return name ? invalidEach(at, name, isPathSegmentName(name)) : [required(at, 'must specify a metric name')];
}

function validateTarget({ type, value, averageValue, averageUtilization }: MetricTarget, path: Path): ErrorList {
  const errors: ErrorList = [];
  const typePath = path.child('type');
  if (!type) errors.push(required(typePath, 'must specify a metric target type'));
  if (!targetTypes.includes(type))
    errors.push(invalid(typePath, type, 'must be either Utilization, Value, or AverageValue'));
  for (const [field, amount] of Object.entries({ value, averageValue }))
    if (amount !== undefined && Quantity.parse(amount).sign() <= 0)
      errors.push(invalid(path.child(field), amount, 'must be positive'));
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
  return errors;
}

const validateMetricAndTarget = (
  { metric, target }: { readonly metric: MetricIdentifier; readonly target: MetricTarget },
  path: Path,
): ErrorList => [...validateIdentifier(metric, path.child('metric')), ...validateTarget(target, path.child('target'))];

/** Validates a resource target: either an average value or a utilization. */
function validateResourceTarget(target: MetricTarget, path: Path): ErrorList {
  const { averageUtilization, averageValue } = target;
  const errors = validateTarget(target, path);
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = 'must set either a target raw value or a target utilization';
    errors.push(required(path.child('averageUtilization'), detail));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = 'may not set both a target raw value and a target utilization';
    errors.push(forbidden(path.child('averageValue'), detail));
  }
  return errors;
}

/** The rules of each source, in the order in which upstream checks them. */
const sources: { readonly [S in Source]: Rule<S> } = {
  object(source, path, options) {
    const { describedObject, target } = source;
    const errors = [
      ...validateCrossVersionObjectReference(describedObject, path.child('describedObject'), options),
      ...validateMetricAndTarget(source, path),
    ];
    if (target.value === undefined && target.averageValue === undefined) {
      const detail = 'must set either a target value or averageValue';
      errors.push(required(path.child('target', 'averageValue'), detail));
    }
    return errors;
  },
  external(source, path) {
    const { target } = source;
    const errors = validateMetricAndTarget(source, path);
    if (target.value === undefined && target.averageValue === undefined) {
      const detail = 'must set either a target value for metric or a per-pod target';
      errors.push(required(path.child('target', 'averageValue'), detail));
    }
    if (target.value !== undefined && target.averageValue !== undefined) {
      const detail = 'may not set both a target value for metric and a per-pod target';
      errors.push(forbidden(path.child('target', 'value'), detail));
    }
    return errors;
  },
  pods(source, path) {
    const { target } = source;
    const errors = validateMetricAndTarget(source, path);
    if (target.averageValue === undefined)
      errors.push(required(path.child('target', 'averageValue'), 'must specify a positive target averageValue'));
    return errors;
  },
  resource: ({ name, target }, path) => [
    ...(name ? [] : [required(path.child('name'), 'must specify a resource name')]),
    ...validateResourceTarget(target, path.child('target')),
  ],
  containerResource: ({ name, container, target }, path) => [
    ...(name
      ? validateContainerResourceName(name, path.child('name'))
      : [required(path.child('name'), 'must specify a resource name')]),
    ...(container
      ? invalidEach(path.child('container'), container, isDns1123Label(container))
      : [required(path.child('container'), 'must specify a container')]),
    ...validateResourceTarget(target, path.child('target')),
  ],
};

function validateSource<S extends Source>(name: S, spec: MetricSpec, path: Path, options: ReferenceOptions): ErrorList {
  const source = spec[name];
  return source ? sources[name](source, path.child(name), options) : [];
}

function validateMetric(spec: MetricSpec, path: Path, options: ReferenceOptions): ErrorList {
  const { type } = spec;
  const typePath = path.child('type');
  const isKnown = metricTypes.includes(type);
  const errors: ErrorList = [];
  if (!type) errors.push(required(typePath, 'must specify a metric source type'));
  if (!isKnown) errors.push(notSupported(typePath, type, metricTypes));
  const present = (Object.keys(sources) as Source[]).filter((name) => spec[name] !== undefined);
  // Only the first source is validated; further ones are errors themselves.
  if (present[0]) errors.push(...validateSource(present[0], spec, path, options));
  const expected = isKnown ? `${type.charAt(0).toLowerCase()}${type.slice(1)}` : '';
  if (!isKnown) errors.push(notSupported(typePath, type, metricTypes));
  else if (!present.some((name) => name === expected))
    errors.push(required(path.child(expected), 'must populate information for the given metric source'));
  if (present.length > 1)
    for (const name of present)
      if (name !== expected) errors.push(forbidden(path.child(name), 'must populate the given metric source only'));
  return errors;
}

/** Validates all metrics. With minReplicas 0, one of them must be of type Object or External. */
export function validateMetrics(
  metrics: readonly MetricSpec[],
  minReplicas: number | undefined,
  path: Path,
  options: ReferenceOptions,
): ErrorList {
  const errors = metrics.flatMap((metric, i) => validateMetric(metric, path.index(i), options));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbidden(path, detail));
  }
  return errors;
}
