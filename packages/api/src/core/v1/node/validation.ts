import {
  dns1123SubdomainMaxLength,
  duplicate,
  type ErrorList,
  forbidden,
  internalError,
  invalid,
  isLongerThan,
  isValidCIDRForLegacyField,
  Path,
  Quantity,
  quote,
} from '@coxswain/apimachinery';
import type { Node } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { sortedEntries } from '../checks.ts';
import { internalForm } from '../internal-form/internal-form.ts';
import { validateResourceQuantityValue } from '../resources/resource-requirements.ts';
import { isIPv6, sameList } from '../service/service-facts.ts';
import { validateNodeAnnotations } from './annotations.ts';
import { validateConfigSourceSpec, validateConfigStatus } from './config-source.ts';
import { validateTaints } from './taints.ts';

const metadataPath = Path.of('metadata');
const specPath = Path.of('spec');
const statusPath = Path.of('status');
const declaredFeature = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

export function validateNode(node: Node, context: StrategyContext): ErrorList {
  const swap = node.status?.nodeInfo?.swap?.capacity;
  const errors = validateNodeAnnotations(node.metadata.annotations, metadataPath.child('annotations'));
  // Upstream reports taints and swap at paths below metadata.
  errors.push(...validateTaints(node.spec?.taints ?? [], metadataPath.child('taints')));
  errors.push(...validateResources(node));
  if (swap !== undefined && swap <= 0)
    errors.push(invalid(metadataPath.child('nodeSwapStatus', 'capacity'), swap, 'must be greater than zero'));
  errors.push(...validateDeclaredFeatures(node));
  errors.push(...validatePodCIDRs(node.spec?.podCIDRs ?? [], context));
  return errors;
}

/** Validates an update of a node, through the main resource or status. */
export function validateNodeUpdate(node: Node, old: Node): ErrorList {
  const { spec = {}, status = {} } = node;
  const errors = validateNodeAnnotations(node.metadata.annotations, metadataPath.child('annotations'));
  errors.push(...validateResources(node), ...validateDeclaredFeatures(node), ...validateAddresses(node));
  errors.push(...validatePodCIDRChange(spec.podCIDRs ?? [], old.spec?.podCIDRs ?? []));
  const { providerID: oldProvider = '' } = old.spec ?? {};
  if (oldProvider !== '' && oldProvider !== (spec.providerID ?? '')) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(forbidden(specPath.child('providerID'), detail));
  }
  if (spec.configSource) errors.push(...validateConfigSourceSpec(spec.configSource, specPath.child('configSource')));
  if (status.config) errors.push(...validateConfigStatus(status.config, statusPath.child('config')));
  errors.push(...validateTaints(spec.taints ?? [], metadataPath.child('taints')));
  if ((spec.externalID ?? '') !== (old.spec?.externalID ?? ''))
    errors.push(forbidden(specPath.child('externalID'), 'may not be updated'));
  return errors;
}

function validateResources({ status }: Node): ErrorList {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    sortedEntries(status?.[list]).flatMap(([name, amount]) =>
      validateResourceQuantityValue(name, Quantity.parse(amount), statusPath.child(list, name)),
    ),
  );
}

function validateDeclaredFeatures({ status }: Node): ErrorList {
  const features = status?.declaredFeatures ?? [];
  const path = statusPath.child('declaredFeatures');
  return features.flatMap((feature, i) => {
    const errors: ErrorList = [];
    const problem = declaredFeatureProblem(feature);
    if (problem) errors.push(invalid(path.index(i), feature, `invalid feature name ${quote(feature)}: ${problem}`));
    const next = features[i + 1];
    if (next === feature) errors.push(duplicate(path.index(i + 1), next));
    else if (next !== undefined && next < feature)
      errors.push(invalid(path.index(i + 1), next, 'list must be sorted alphabetically'));
    return errors;
  });
}

function declaredFeatureProblem(feature: string): string | undefined {
  if (isLongerThan(feature, dns1123SubdomainMaxLength))
    return `must be no more than ${dns1123SubdomainMaxLength} characters`;
  return declaredFeature.test(feature)
    ? undefined
    : "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

/** Validates podCIDRs: at most one per IP family. */
function validatePodCIDRs(podCIDRs: readonly string[], context: StrategyContext): ErrorList {
  const path = specPath.child('podCIDRs');
  const strict = context.features.enabled('StrictIPCIDRValidation');
  const errors = podCIDRs.flatMap((cidr, i) => isValidCIDRForLegacyField(path.index(i), cidr, strict));
  if (podCIDRs.length < 2) return errors;
  const broken = podCIDRs.findIndex((cidr) => isValidCIDRForLegacyField(path, cidr, false).length > 0);
  if (broken >= 0) {
    const cause = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${podCIDRs[broken]})`;
    const message = `invalid PodCIDRs. failed to check with dual stack with error:${cause}`;
    errors.push(internalError(path, new Error(message)));
  }
  const families = new Set(podCIDRs.map((cidr) => isIPv6(cidr.split('/', 1)[0]!)));
  if (broken >= 0 || families.size < 2 || podCIDRs.length > 2)
    errors.push(invalid(path, podCIDRs, 'may specify no more than one CIDR for each IP family'));
  return errors;
}

function validateAddresses({ status }: Node): ErrorList {
  const seen = new Set<string>();
  return (status?.addresses ?? []).flatMap((address, i) => {
    const identity = `${address.type} ${address.address}`;
    const isRepeated = seen.has(identity);
    seen.add(identity);
    return isRepeated ? [duplicate(statusPath.child('addresses').index(i), internalForm('NodeAddress', address))] : [];
  });
}

/** Upstream reports one error for each CIDR that differs. */
function validatePodCIDRChange(podCIDRs: readonly string[], old: readonly string[]): ErrorList {
  if (old.length === 0 || sameList(podCIDRs, old)) return [];
  const count = podCIDRs.length === old.length ? old.filter((cidr, i) => cidr !== podCIDRs[i]).length : 1;
  const detail = 'node updates may not change podCIDR except from "" to valid';
  return Array.from({ length: count }, () => forbidden(specPath.child('podCIDRs'), detail));
}
