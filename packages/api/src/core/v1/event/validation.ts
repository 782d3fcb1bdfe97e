import {
  byteLength,
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  isDns1123Subdomain,
  isQualifiedName,
  nameIsDnsSubdomain,
  Path,
  required,
  semanticEqual,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import type { Event } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { invalidEach } from '../checks.ts';
import { internalForm } from '../internal-form/internal-form.ts';

const at = (name: string): Path => Path.of(name);

/** Requests through the core API are validated less strictly, for compatibility with old clients. */
const isStrict = ({ requestGroupVersion = 'v1' }: StrategyContext): boolean => requestGroupVersion !== 'v1';

/** Applies the rules of the core API. Events with an eventTime follow the newer rules. */
function validateLegacy(event: Event, context: StrategyContext): ErrorList {
  const namespace = event.metadata.namespace ?? '';
  const errors = event.eventTime
    ? validateNewEvent(event, namespace, isStrict(context) ? 'reportingController' : 'reportingComponent')
    : validateOldNamespace(event, namespace);
  return [...errors, ...invalidEach(at('namespace'), namespace, isDns1123Subdomain(namespace))];
}

const namespaceMismatch = (involved: string): ErrorList => [
  invalid(Path.of('involvedObject', 'namespace'), involved, 'does not match event.namespace'),
];

/** The namespaces of event and object must match. Events about cluster-scoped objects are in `default`. */
function validateOldNamespace({ involvedObject: { namespace: involved = '' } }: Event, namespace: string): ErrorList {
  const matches = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved;
  return matches ? [] : namespaceMismatch(involved);
}

function validateNewEvent(event: Event, namespace: string, controllerField: string): ErrorList {
  const { involvedObject, reportingComponent: controller = '', message = '' } = event;
  const involved = involvedObject.namespace ?? '';
  const isClusterWide = involved === '' && namespace !== 'default' && namespace !== 'kube-system';
  const errors = isClusterWide ? namespaceMismatch(involved) : [];
  if (controller === '') errors.push(required(at(controllerField)));
  errors.push(...invalidEach(at(controllerField), controller, isQualifiedName(controller)));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') errors.push(required(at(field)));
    errors.push(...validateLength(value, 128, field));
  }
  return [...errors, ...validateLength(message, 1024, 'message')];
}

const validateLength = (value: string, max: number, field: string): ErrorList =>
  byteLength(value) > max ? [invalid(at(field), '', `can have at most ${max} characters`)] : [];

export function validateEvent(event: Event, context: StrategyContext): ErrorList {
  const errors = validateLegacy(event, context);
  if (!isStrict(context)) return errors;
  errors.push(...validateObjectMeta(event.metadata, true, nameIsDnsSubdomain, at('metadata')));
  errors.push(...validateSeries(event));
  if (!event.eventTime) errors.push(required(at('eventTime')));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid(at('type'), '', `has invalid value: ${event.type ?? ''}`));
  const { firstTimestamp, lastTimestamp, count, source } = event;
  const old = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
  for (const [field, value] of Object.entries(old)) if (value) errors.push(invalid(at(field), '', 'needs to be unset'));
  return errors;
}

function validateSeries({ series }: Event): ErrorList {
  if (!series) return [];
  const errors: ErrorList = [];
  if ((series.count ?? 0) < 2) errors.push(invalid(at('series.count'), '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required(at('series.lastObservedTime')));
  return errors;
}

/** How messages print a changed field, where that is not its JSON. */
const printed: Partial<Record<keyof Event, (value: object) => unknown>> = {
  involvedObject: (value) => internalForm('ObjectReference', value),
  related: (value) => internalForm('ObjectReference', value),
  source: (value) => internalForm('EventSource', value),
};

/** In upstream's order, which contains `reason` twice. */
const immutableFields: readonly (readonly [field: keyof Event, name: string, zero?: unknown])[] = [
  ['involvedObject', 'involvedObject', {}],
  ['reason', 'reason', ''],
  ['message', 'message', ''],
  ['source', 'source', {}],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count', 0],
  ['reason', 'reason', ''],
  ['type', 'type', ''],
  ['eventTime', 'eventTime'],
  ['action', 'action', ''],
  ['related', 'related'],
  ['reportingComponent', 'reportingController', ''],
  ['reportingInstance', 'reportingInstance', ''],
];

/** Validates an update. Through events.k8s.io, only series and metadata may change. */
export function validateEventUpdate(event: Event, old: Event, context: StrategyContext): ErrorList {
  const errors = validateLegacy(event, context);
  if (!isStrict(context)) return errors;
  errors.push(...validateObjectMetaUpdate(event.metadata, old.metadata, at('metadata')));
  if (!semanticEqual(event.series, old.series)) errors.push(...validateSeries(event));
  for (const [field, name, zero] of immutableFields) {
    const value = event[field] ?? zero;
    if (semanticEqual(value, old[field] ?? zero)) continue;
    const print = printed[field];
    const shown = print && typeof value === 'object' ? print(value as object) : value;
    errors.push(invalid(at(name), shown ?? undefined, fieldImmutableErrorMessage));
  }
  return errors;
}
