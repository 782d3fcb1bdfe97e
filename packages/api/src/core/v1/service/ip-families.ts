import { type ErrorList, invalid, Path } from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { validateClusterIPFields } from './cluster-ips.ts';
import { familyOf, needsClusterIP, otherFamily, sameList, specOf } from './service-facts.ts';

const path = Path.of('spec');
const policyPath = path.child('ipFamilyPolicy');

/**
 * Determines the IP families of a service from its fields and the cluster's families, before addresses are allocated.
 * Its errors are the whole response to the client.
 */
export function initIPFamilyFields(service: Service, old: Service | undefined, context: StrategyContext): ErrorList {
  const spec = specOf(service);
  if (spec.type === 'ExternalName' || (old && keepsPreferredDualStack(spec, specOf(old)))) return [];
  const isSelectorless = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= (old && specOf(old).ipFamilyPolicy) ?? (isSelectorless ? 'RequireDualStack' : 'SingleStack');

  const problems = validateClusterIPFields(service, old, context);
  if (problems.length > 0) return problems;
  const configured = context.serviceIPFamilies ?? ['IPv4'];
  const errors = [
    ...(old ? releaseSecondary(spec, specOf(old)) : []),
    ...validateSingleStack(spec),
    ...inferFamilies(spec, configured),
  ];
  if (errors.length > 0) return errors;

  const wantsTwo = spec.ipFamilyPolicy !== 'SingleStack';
  if (!isSelectorless) {
    if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2) {
      const detail = 'this cluster is not configured for dual-stack services';
      errors.push(invalid(policyPath, spec.ipFamilyPolicy, detail));
    }
    for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
      if (configured.some((one) => one === family)) continue;
      errors.push(invalid(path.child('ipFamilies').index(i), family, 'not configured on this cluster'));
    }
    if (errors.length > 0) return errors;
  }
  if (!spec.ipFamilies?.length) spec.ipFamilies = [configured[0]!];
  // Without a selector, endpoints are managed by the user, so they can have other families than the cluster.
  if (wantsTwo && spec.ipFamilies.length === 1 && (isSelectorless || configured.length === 2))
    spec.ipFamilies = [spec.ipFamilies[0]!, otherFamily(spec.ipFamilies[0] as 'IPv4' | 'IPv6')];
  return [];
}

/**
 * Reports whether the service has PreferDualStack and unchanged addresses and families. It then keeps them, even if the
 * cluster's families have changed.
 */
function keepsPreferredDualStack(spec: ServiceSpec, old: ServiceSpec): boolean {
  return (
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (old.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    spec.type === old.type &&
    needsClusterIP(spec) &&
    sameList(spec.clusterIPs, old.clusterIPs) &&
    sameList(spec.ipFamilies, old.ipFamilies)
  );
}

/**
 * Removes the second address and family when the policy changes to SingleStack. Removing them without that policy is an
 * error.
 */
function releaseSecondary(spec: ServiceSpec, old: ServiceSpec): ErrorList {
  const errors: ErrorList = [];
  const fields = [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const;
  for (const [field, what] of fields) {
    const after: readonly unknown[] = spec[field] ?? [];
    const before: readonly unknown[] = old[field] ?? [];
    if (spec.ipFamilyPolicy !== 'SingleStack') {
      if (after.length > 0 && after.length < before.length)
        errors.push(invalid(policyPath, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`));
    } else if (after.length > 1 && sameList(after, before)) {
      if (field === 'clusterIPs') spec.clusterIPs = spec.clusterIPs?.slice(0, 1);
      else spec.ipFamilies = spec.ipFamilies?.slice(0, 1);
    }
  }
  return errors;
}

function validateSingleStack({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): ErrorList {
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const errors: ErrorList = [];
  const complain = (what: string): void => {
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    errors.push(invalid(policyPath, ipFamilyPolicy, detail));
  };
  if (clusterIPs.length === 2) complain('cluster IPs');
  if (ipFamilies.length === 2) complain('IP families');
  return errors;
}

/** Adds missing families, derived from the addresses. */
function inferFamilies(spec: ServiceSpec, configured: readonly string[]): ErrorList {
  const errors: ErrorList = [];
  for (const [i, address] of (spec.clusterIPs ?? []).entries()) {
    if (address === 'None') break;
    if (i < (spec.ipFamilies?.length ?? 0)) continue;
    const family = familyOf(address);
    if (configured.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else {
      const detail = `${family} is not configured on this cluster`;
      errors.push(invalid(path.child('clusterIPs').index(i), spec.clusterIPs, detail));
    }
  }
  return errors;
}
