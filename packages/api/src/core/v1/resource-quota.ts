import {
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  ownEntry,
  Path,
  Quantity,
  required,
} from '@coxswain/apimachinery';
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../generated/core/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { sortedEntries } from './checks.ts';
import { internalForm } from './internal-form/internal-form.ts';
import { quantityOf, type ResourceList, roundUpToMilli } from './resources/resource-list.ts';
import { isStandardQuotaResourceName, validateResourceName } from './resources/resource-name.ts';
import { validateResourceQuantityValue } from './resources/resource-requirements.ts';

const specPath = Path.of('spec');
const statusPath = Path.of('status');

const compute = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const ofPods = new Set(['pods', ...compute]);

/** Scope → the resources that it can apply to, of those with an unqualified name. */
const scopes = new Map<string, ReadonlySet<string>>([
  ['Terminating', ofPods],
  ['NotTerminating', ofPods],
  ['BestEffort', new Set(['pods'])],
  ['NotBestEffort', ofPods],
  ['PriorityClass', ofPods],
  ['CrossNamespacePodAffinity', ofPods],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
]);
const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
/** Scopes whose selectors can have values. */
const scopesWithValues = ['PriorityClass', 'VolumeAttributesClass'];

export function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  for (const list of [spec?.hard, status?.hard, status?.used]) roundUpToMilli(list);
}

function validateQuotaResourceName(name: string, path: Path): ErrorList {
  const errors = validateResourceName(name, path);
  if (!name.includes('/') && !isStandardQuotaResourceName(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
  return errors;
}

const validateAmounts = (list: ResourceList | undefined, path: Path): ErrorList =>
  sortedEntries(list).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, path.key(name)),
    ...validateResourceQuantityValue(name, Quantity.parse(amount), path.key(name)),
  ]);

/** Returns the number of limited resources that the scope cannot apply to. */
const misapplied = (scope: string, { hard = {} }: ResourceQuotaSpec): number =>
  Object.keys(hard).filter((name) => isStandardQuotaResourceName(name) && scopes.get(scope)?.has(name) === false)
    .length;

const conflicting = (used: readonly string[]): number =>
  conflicts.filter((pair) => pair.every((scope) => used.includes(scope))).length;

const times = (count: number, error: () => ErrorList[number]): ErrorList => Array.from({ length: count }, error);

function validateSpec(spec: ResourceQuotaSpec): ErrorList {
  return [
    ...validateAmounts(spec.hard, specPath.child('hard')),
    ...validateScopes(spec),
    ...(spec.scopeSelector ? validateScopeSelector(spec) : []),
  ];
}

function validateScopes(spec: ResourceQuotaSpec): ErrorList {
  const used = spec.scopes ?? [];
  const complain = (detail: string) => () => invalid(specPath.child('scopes'), used, detail);
  return [
    ...used.flatMap((scope) => [
      ...times(scopes.has(scope) ? 0 : 1, complain('unsupported scope')),
      ...times(misapplied(scope, spec), complain('unsupported scope applied to resource')),
    ]),
    ...times(conflicting(used), complain('conflicting scopes')),
  ];
}

function validateScopeSelector(spec: ResourceQuotaSpec): ErrorList {
  const path = specPath.child('scopeSelector', 'matchExpressions');
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const selector = internalForm('ScopeSelector', spec.scopeSelector ?? {});
  const used = requirements.map(({ scopeName }) => scopeName);
  return [
    ...requirements.flatMap((requirement) => [
      ...times(scopes.has(requirement.scopeName) ? 0 : 1, () =>
        invalid(path.child('scopeName'), requirement.scopeName, 'unsupported scope'),
      ),
      ...times(misapplied(requirement.scopeName, spec), () =>
        invalid(path, selector, 'unsupported scope applied to resource'),
      ),
      ...validateOperator(requirement, path),
    ]),
    ...times(conflicting(used), () => invalid(path, spec.scopes, 'conflicting scopes')),
  ];
}

function validateOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  if (scopes.has(scopeName) && !scopesWithValues.includes(scopeName) && operator !== 'Exists') {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalid(path.child('operator'), operator, detail));
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(
        required(
          path.child('values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalid(path.child('values'), values, detail));
    }
  } else {
    errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  }
  return errors;
}

const validateStatus = ({ status }: ResourceQuota): ErrorList => [
  ...validateAmounts(status?.hard, statusPath.child('hard')),
  ...validateAmounts(status?.used, statusPath.child('used')),
];

function validateUpdate({ spec = {} }: ResourceQuota, { spec: old = {} }: ResourceQuota): ErrorList {
  const errors = validateSpec(spec);
  const after = new Set(spec.scopes);
  const before = new Set(old.scopes);
  if (after.size !== before.size || [...after].some((scope) => !before.has(scope)))
    errors.push(invalid(specPath.child('scopes'), spec.scopes, fieldImmutableErrorMessage));
  return errors;
}

/** Warns of requests above the limits of the same resource, which can never be used up. */
function warningsForQuota({ spec }: ResourceQuota): string[] {
  const hard = spec?.hard;
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((resource) => {
    const isShort = ownEntry(hard, `requests.${resource}`) === undefined && ['cpu', 'memory'].includes(resource);
    const request = isShort ? resource : `requests.${resource}`;
    const limit = `limits.${resource}`;
    if (ownEntry(hard, request) === undefined || ownEntry(hard, limit) === undefined) return [];
    const [requested, limited] = [quantityOf(hard, request), quantityOf(hard, limit)];
    return requested.cmp(limited) > 0
      ? [`ResourceQuota ${request} (${requested}) should be less than ${limit} (${limited})`]
      : [];
  });
}

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  validate: ({ spec = {} }) => validateSpec(spec),
  validateUpdate,
  warningsOnCreate: warningsForQuota,
  subresources: { status: { owns: ['status'], validateUpdate: validateStatus } },
  table: {
    columns: columns('Name', 'Request', 'Limit', 'Age'),
    row({ metadata, status }, context) {
      const print = (isLimit: boolean): string =>
        sortedEntries(status?.hard)
          .filter(([name]) => name.startsWith('limits.') === isLimit)
          .map(([name, amount]) => `${name}: ${quantityOf(status?.used, name)}/${amount}`)
          .join(', ');
      return [
        metadata.name ?? '',
        print(false),
        print(true),
        translateTimestampSince(metadata.creationTimestamp, context),
      ];
    },
  },
};
