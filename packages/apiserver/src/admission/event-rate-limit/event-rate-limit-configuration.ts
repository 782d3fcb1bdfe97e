import { aggregate, type ErrorList, invalid, notSupported, Path } from '@coxswain/apimachinery';
import { ofKind, type PluginConfigurationSource } from '../admission-configuration.ts';
import { type EventLimit, type EventLimitType, eventLimitTypes } from './event-rate-limit.ts';

const versions = ['eventratelimit.admission.k8s.io/v1alpha1'];
const defaultCacheSize = 4096;

/** Reads the limits, at least one of which is required. Throws an Error with all problems. */
export function readEventLimits(source: PluginConfigurationSource | undefined): EventLimit[] {
  const path = Path.of('limits');
  const given = source ? ofKind(source, versions, 'Configuration').objects('limits') : [];
  const limits = given.map((limit) => ({
    type: (limit.string('type') ?? '') as EventLimitType,
    qps: limit.integer('qps') ?? 0,
    burst: limit.integer('burst') ?? 0,
    cacheSize: limit.integer('cacheSize') ?? 0,
  }));
  const errors: ErrorList = limits.flatMap(({ type, qps, burst, cacheSize }, i) => {
    const at = path.index(i);
    return [
      ...(eventLimitTypes.includes(type) ? [] : [notSupported(at.child('type'), type, eventLimitTypes)]),
      ...(burst > 0 ? [] : [invalid(at.child('burst'), burst, 'must be positive')]),
      ...(qps > 0 ? [] : [invalid(at.child('qps'), qps, 'must be positive')]),
      ...(type === 'Server' || cacheSize >= 0
        ? []
        : [invalid(at.child('cacheSize'), cacheSize, 'must not be negative')]),
    ];
  });
  if (limits.length === 0) errors.push(invalid(path, null, 'must not be empty'));
  if (errors.length > 0) throw new Error(aggregate(errors));
  return limits.map((limit) => ({ ...limit, cacheSize: limit.cacheSize || defaultCacheSize }));
}
