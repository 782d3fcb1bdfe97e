import {
  duplicate,
  type ErrorList,
  invalid,
  isValidIPForLegacyField,
  notSupported,
  Path,
  repeated,
  required,
} from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { familyOf, isHeadless, isIPv6, specOf } from './service-facts.ts';

const path = Path.of('spec');
const clusterIPsPath = path.child('clusterIPs');
const ipFamiliesPath = path.child('ipFamilies');
const policyPath = path.child('ipFamilyPolicy');

const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/**
 * Validates the consistency of clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy. An ExternalName service must have
 * none of them.
 */
export function validateClusterIPFields(
  service: Service,
  old: Service | undefined,
  context: StrategyContext,
): ErrorList {
  const spec = specOf(service);
  if (spec.type === 'ExternalName') return [];
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const errors = validateSingularAndPlural(spec);
  const isRepeated = repeated(ipFamilies);
  for (const [i, family] of ipFamilies.entries()) {
    if (!families.includes(family)) errors.push(notSupported(ipFamiliesPath.index(i), family, families));
    if (isRepeated[i]) errors.push(duplicate(ipFamiliesPath.index(i), family));
  }
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(notSupported(policyPath, ipFamilyPolicy, policies));

  const existing = old && specOf(old).clusterIPs;
  const strict = context.features.enabled('StrictIPCIDRValidation');
  const problems = clusterIPs.flatMap((address, i) => {
    if (i > 0 || address !== 'None') return isValidIPForLegacyField(clusterIPsPath.index(i), address, strict, existing);
    return clusterIPs.length > 1
      ? [invalid(clusterIPsPath, clusterIPs, "'None' must be the first and only value")]
      : [];
  });
  errors.push(...problems);
  if (clusterIPs.length > 2) errors.push(invalid(clusterIPsPath, clusterIPs, 'may only hold up to 2 values'));
  // With invalid addresses, the further messages would be misleading.
  if (problems.length > 0) return errors;

  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2)
    errors.push(invalid(clusterIPsPath, clusterIPs, 'may specify no more than one IP for each IP family'));
  if (!isHeadless(spec)) {
    for (const [i, address] of clusterIPs.entries()) {
      const family = ipFamilies[i];
      const mismatched = family === 'IPv4' ? isIPv6(address) : family === 'IPv6' && !isIPv6(address);
      if (mismatched) {
        const detail = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
        errors.push(invalid(clusterIPsPath.index(i), address, detail));
      }
    }
  }
  return errors;
}

function validateSingularAndPlural({ clusterIP = '', clusterIPs = [] }: ServiceSpec): ErrorList {
  if (clusterIP === '') {
    return clusterIPs.length > 0
      ? [invalid(clusterIPsPath, clusterIPs, 'must be empty when `clusterIP` is not specified')]
      : [];
  }
  if (clusterIPs.length === 0) return [required(clusterIPsPath)];
  return clusterIPs[0] === clusterIP ? [] : [invalid(clusterIPsPath, clusterIPs, 'first value must match `clusterIP`')];
}

/**
 * Validates the change of addresses and families. The second one may be added and removed; the first one is immutable,
 * unless the type changes to or from ExternalName.
 */
export function validateClusterIPChange(spec: ServiceSpec, old: ServiceSpec): ErrorList {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  return [...validateAddressChange(spec, old), ...validateFamilyChange(spec, old)];
}

const unchanged = 'may not change once set';

function validateAddressChange(spec: ServiceSpec, old: ServiceSpec): ErrorList {
  if (isHeadless(spec) && isHeadless(old)) return [];
  const { clusterIPs, ipFamilyPolicy } = spec;
  const after = clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  if (before.length === after.length) {
    return before.flatMap((address, i) =>
      address === after[i] ? [] : [invalid(clusterIPsPath.index(i), clusterIPs, unchanged)],
    );
  }
  const errors: ErrorList = [];
  const isReduced = before.length > after.length;
  if (isReduced && after.length === 0)
    errors.push(invalid(clusterIPsPath.index(0), clusterIPs, 'primary clusterIP can not be unset'));
  if (before.length > 0 && after.length > 0 && after[0] !== before[0])
    errors.push(invalid(clusterIPsPath.index(0), clusterIPs, unchanged));
  if (isReduced && after.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalid(policyPath, ipFamilyPolicy, detail));
  }
  return errors;
}

function validateFamilyChange(spec: ServiceSpec, old: ServiceSpec): ErrorList {
  if (isHeadless(spec) || isHeadless(old)) return [];
  const { ipFamilies, clusterIPs, ipFamilyPolicy } = spec;
  const after = ipFamilies ?? [];
  const before = old.ipFamilies ?? [];
  const first = ipFamiliesPath.index(0);
  if (before.length === after.length)
    return before.flatMap((family, i) => (family === after[i] ? [] : [invalid(first, ipFamilies, unchanged)]));
  const errors: ErrorList = [];
  const isReduced = before.length > after.length;
  if (isReduced && (clusterIPs ?? []).length === 0)
    errors.push(invalid(first, ipFamilies, 'primary ipFamily can not be unset'));
  // Upstream prints the addresses here instead of the families.
  if (before.length > 0 && after.length > 0 && after[0] !== before[0])
    errors.push(invalid(first, clusterIPs, unchanged));
  if (isReduced && after.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
    errors.push(invalid(policyPath, ipFamilyPolicy, detail));
  }
  return errors;
}
