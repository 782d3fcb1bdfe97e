import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Subdomain,
  isQualifiedName,
  isValidCIDRForLegacyField,
  isValidIPForLegacyField,
  isValidPortNum,
  notSupported,
  ownEntry,
  Path,
  required,
  validateLabels,
} from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { invalidEach, requiredSupported, unlessSupported } from '../checks.ts';
import { validateEndpointIP } from '../endpoint-ip.ts';
import { validateClusterIPChange, validateClusterIPFields } from './cluster-ips.ts';
import { validatePorts, validateUniquePorts } from './ports.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheck, specOf } from './service-facts.ts';

export const topologyHintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
export const topologyModeAnnotation = 'service.kubernetes.io/topology-mode';
const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const affinities = ['ClientIP', 'None'];
const trafficPolicies = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const maxAffinitySeconds = 86400;

const path = Path.of('spec');
const annotationsPath = Path.of('metadata', 'annotations');

/** Validates a service, except for metadata. `old` is the object that an update replaces. */
export function validateService(service: Service, old: Service | undefined, context: StrategyContext): ErrorList {
  const spec = specOf(service);
  return [
    ...validateTopologyAnnotations(service),
    ...validateTypeFields(spec),
    ...validatePorts(spec),
    ...(spec.selector ? validateLabels(spec.selector, path.child('selector')) : []),
    ...validateSessionAffinity(spec),
    ...validateClusterIPFields(service, old, context),
    ...validateExternalIPs(spec, old, context),
    ...requiredSupported(path.child('type'), spec.type, types),
    ...validateUniquePorts(spec),
    ...validateSourceRanges(service, old, context),
    ...validateLoadBalancerFields(spec),
    ...validateLoadBalancerClass(spec),
    ...validateExternalTraffic(spec),
    ...validateTrafficRouting(spec),
  ];
}

/** Validates an update: first the changes, then the new object. */
export function validateServiceUpdate(service: Service, old: Service, context: StrategyContext): ErrorList {
  const spec = specOf(service);
  const before = specOf(old);
  const errors = validateClusterIPChange(spec, before);
  const stayedLoadBalancer = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  if (stayedLoadBalancer && spec.loadBalancerClass !== before.loadBalancerClass)
    errors.push(invalid(path.child('loadBalancerClass'), spec.loadBalancerClass, 'may not change once set'));
  errors.push(...validateLoadBalancerClass(spec));
  if (
    needsHealthCheck(spec) &&
    needsHealthCheck(before) &&
    (spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0)
  ) {
    errors.push(forbidden(path.child('healthCheckNodePort'), 'field is immutable'));
  }
  return [...errors, ...validateService(service, old, context)];
}

function validateTopologyAnnotations({ metadata: { annotations } }: Service): ErrorList {
  const hints = ownEntry(annotations, topologyHintsAnnotation);
  const mode = ownEntry(annotations, topologyModeAnnotation);
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${topologyHintsAnnotation}] when both are specified`;
  return [invalid(annotationsPath.key(topologyModeAnnotation), mode, detail)];
}

function validateTypeFields(spec: ServiceSpec): ErrorList {
  const { type, clusterIPs = [], ipFamilies = [], externalName = '' } = spec;
  const errors: ErrorList = [];
  if (!spec.ports?.length && !isHeadless(spec) && type !== 'ExternalName') errors.push(required(path.child('ports')));
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${type} services`;
    errors.push(invalid(path.child('clusterIPs').index(0), clusterIPs[0], detail));
  }
  if (type !== 'ExternalName') return errors;
  const set = {
    clusterIPs: clusterIPs.length > 0,
    ipFamilies: ipFamilies.length > 0,
    ipFamilyPolicy: spec.ipFamilyPolicy,
  };
  for (const [field, value] of Object.entries(set))
    if (value) errors.push(forbidden(path.child(field), 'may not be set for ExternalName services'));
  // A trailing dot marks a fully qualified name.
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  const namePath = path.child('externalName');
  errors.push(...(name === '' ? [required(namePath)] : invalidEach(namePath, name, isDns1123Subdomain(name))));
  return errors;
}

function validateSessionAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): ErrorList {
  const errors = requiredSupported(path.child('sessionAffinity'), sessionAffinity, affinities);
  const configPath = path.child('sessionAffinityConfig');
  if (sessionAffinity === 'None' && sessionAffinityConfig)
    errors.push(forbidden(configPath, 'must not be set when session affinity is None'));
  if (sessionAffinity !== 'ClientIP') return errors;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const timeoutPath = configPath.child('clientIP', 'timeoutSeconds');
  // After defaulting, the timeout is absent only if the whole configuration is.
  if (seconds === undefined) errors.push(required(configPath, 'when session affinity type is ClientIP'));
  else if (seconds <= 0 || seconds > maxAffinitySeconds)
    errors.push(invalid(timeoutPath, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`));
  return errors;
}

function validateExternalIPs(
  { externalIPs = [] }: ServiceSpec,
  old: Service | undefined,
  context: StrategyContext,
): ErrorList {
  const existing = old && specOf(old).externalIPs;
  const strict = context.features.enabled('StrictIPCIDRValidation');
  return externalIPs.flatMap((address, i) => {
    const at = path.child('externalIPs').index(i);
    const errors = isValidIPForLegacyField(at, address, strict, existing);
    return errors.length > 0 ? errors : validateEndpointIP(address, at);
  });
}

const onlyForLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

/** Validates the source ranges, in the field or the legacy annotation. Both may have spaces around values. */
function validateSourceRanges(service: Service, old: Service | undefined, context: StrategyContext): ErrorList {
  const { type, loadBalancerSourceRanges: ranges = [] } = specOf(service);
  const strict = context.features.enabled('StrictIPCIDRValidation');
  const misplaced = (at: Path): ErrorList => (type === 'LoadBalancer' ? [] : [forbidden(at, onlyForLoadBalancers)]);
  if (ranges.length > 0) {
    const at = path.child('LoadBalancerSourceRanges');
    const existing = old && specOf(old).loadBalancerSourceRanges?.map((range) => range.trim());
    const problems = ranges.flatMap((range, i) =>
      isValidCIDRForLegacyField(at.index(i), range.trim(), strict, existing),
    );
    return [...misplaced(at), ...problems];
  }
  const annotation = ownEntry(service.metadata.annotations, sourceRangesAnnotation);
  if (annotation === undefined) return [];
  const at = annotationsPath.key(sourceRangesAnnotation);
  const errors = misplaced(at);
  if (annotation.trim() === '' || ownEntry(old?.metadata.annotations, sourceRangesAnnotation) === annotation)
    return errors;
  for (const range of annotation.trim().split(',')) errors.push(...isValidCIDRForLegacyField(at, range.trim(), strict));
  return errors;
}

function validateLoadBalancerFields({ type, allocateLoadBalancerNodePorts }: ServiceSpec): ErrorList {
  if (allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer')
    return [forbidden(path.child('allocateLoadBalancerNodePorts'), onlyForLoadBalancers)];
  if (allocateLoadBalancerNodePorts === undefined && type === 'LoadBalancer')
    return [required(Path.of('allocateLoadBalancerNodePorts'))];
  return [];
}

function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec): ErrorList {
  if (loadBalancerClass === undefined) return [];
  const at = path.child('loadBalancerClass');
  if (type !== 'LoadBalancer') return [forbidden(at, onlyForLoadBalancers)];
  return invalidEach(at, loadBalancerClass, isQualifiedName(loadBalancerClass));
}

function validateExternalTraffic(spec: ServiceSpec): ErrorList {
  const { externalTrafficPolicy, healthCheckNodePort = 0 } = spec;
  const errors: ErrorList = [];
  const policyPath = path.child('externalTrafficPolicy');
  if (isExternallyAccessible(spec))
    errors.push(...requiredSupported(policyPath, externalTrafficPolicy, trafficPolicies));
  else if (externalTrafficPolicy)
    errors.push(invalid(policyPath, externalTrafficPolicy, 'may only be set for externally-accessible services'));
  const portPath = path.child('healthCheckNodePort');
  if (needsHealthCheck(spec)) {
    if (healthCheckNodePort === 0) errors.push(required(portPath));
    else errors.push(...invalidEach(portPath, healthCheckNodePort, isValidPortNum(healthCheckNodePort)));
  } else if (healthCheckNodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid(portPath, healthCheckNodePort, detail));
  }
  return errors;
}

function validateTrafficRouting(spec: ServiceSpec): ErrorList {
  const { type, internalTrafficPolicy, trafficDistribution } = spec;
  const errors: ErrorList = [];
  const policyPath = path.child('internalTrafficPolicy');
  if (internalTrafficPolicy !== undefined)
    errors.push(...unlessSupported(policyPath, internalTrafficPolicy, trafficPolicies));
  else if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP') errors.push(required(policyPath));
  if (trafficDistribution === undefined) return errors;
  if (!distributions.includes(trafficDistribution))
    errors.push(notSupported(path.child('trafficDistribution'), trafficDistribution, distributions));
  return errors;
}
