import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Subdomain,
  isValidIPForLegacyField,
  notSupported,
  type Path,
  parseIPSloppy,
  required,
} from '@coxswain/apimachinery';
import type { LoadBalancerIngress, LoadBalancerStatus } from '../../generated/core/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';
import { invalidEach } from './checks.ts';

const ipModes = ['Proxy', 'VIP'];

/** Validates the addresses and hostnames of a service's load balancer; only services of type LoadBalancer may have any. */
export function validateLoadBalancerStatus(
  status: LoadBalancerStatus | undefined,
  old: LoadBalancerStatus | undefined,
  path: Path,
  serviceType: string | undefined,
  context: StrategyContext,
): ErrorList {
  const { ingress = [] } = status ?? {};
  const ingressPath = path.child('ingress');
  if (serviceType !== 'LoadBalancer' && ingress.length > 0)
    return [forbidden(ingressPath, "may only be used when `spec.type` is 'LoadBalancer'")];
  const existing = (old?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  const strict = context.features.enabled('StrictIPCIDRValidation');
  return ingress.flatMap((one, i) => validateIngress(one, ingressPath.index(i), strict, existing));
}

function validateIngress(
  { ip = '', ipMode, hostname = '' }: LoadBalancerIngress,
  path: Path,
  strict: boolean,
  existing: readonly string[],
): ErrorList {
  const errors = ip === '' ? [] : isValidIPForLegacyField(path.child('ip'), ip, strict, existing);
  const modePath = path.child('ipMode');
  if (ipMode === undefined) {
    if (ip !== '') errors.push(required(modePath, 'must be specified when `ip` is set'));
  } else if (ip === '') errors.push(forbidden(modePath, 'may not be specified when `ip` is not set'));
  else if (!ipModes.includes(ipMode)) errors.push(notSupported(modePath, ipMode, ipModes));
  if (hostname === '') return errors;
  errors.push(...invalidEach(path.child('hostname'), hostname, isDns1123Subdomain(hostname)));
  if (parseIPSloppy(hostname))
    errors.push(invalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
