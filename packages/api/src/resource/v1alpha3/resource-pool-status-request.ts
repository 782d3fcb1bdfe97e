import {
  type ErrorList,
  invalid,
  isDns1123SubdomainBytes,
  isDns1123SubdomainCaseless,
  Path,
  semanticEqual,
  validateConditions,
} from '@coxswain/apimachinery';
import type { PoolStatus, ResourcePoolStatusRequest } from '../../generated/resource/v1alpha3.ts';
import { type FieldRules, type StructRules, validateDeclaratively } from '../../strategy/declarative.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { type Cell, columns } from '../../strategy/table.ts';
import { internalForm } from '../v1/internal-form.ts';

const driver: FieldRules = { presence: 'required', format: isDns1123SubdomainCaseless };
const count: FieldRules = { presence: 'optional', pointer: true, minimum: 0 };

/** Validates the name of a pool: DNS subdomains separated by slashes. */
function checkPoolName(name: string, path: Path): ErrorList {
  return name
    .split('/')
    .flatMap((part, i) =>
      part === ''
        ? [invalid(path, name, `segment ${i}: must not be empty`)]
        : isDns1123SubdomainBytes(part).map((problem) => invalid(path, part, `segment ${i}: ${problem}`)),
    );
}

const poolName: FieldRules = { check: checkPoolName, maxBytes: 253 };

const rules: StructRules = {
  fields: {
    spec: {
      immutable: true,
      struct: {
        fields: {
          driver,
          poolName: { ...poolName, presence: 'optional', pointer: true },
          limit: { presence: 'required', pointer: true, maximum: 1000, minimum: 1 },
        },
      },
    },
    status: {
      presence: 'optional',
      struct: {
        fields: {
          poolCount: { ...count, presence: 'required' },
          pools: {
            presence: 'optional',
            maxItems: 1000,
            struct: {
              fields: {
                driver,
                poolName: { ...poolName, presence: 'required' },
                generation: { presence: 'required', minimum: 0 },
                resourceSliceCount: { ...count, minimum: 1 },
                totalDevices: count,
                allocatedDevices: count,
                availableDevices: count,
                unavailableDevices: count,
                nodeName: { presence: 'optional', pointer: true, format: isDns1123SubdomainBytes },
                validationError: { presence: 'optional', pointer: true, maxBytes: 256 },
              },
            },
          },
          conditions: { presence: 'optional', maxItems: 10, key: 'type' },
        },
      },
    },
  },
};

/** Validates the status, which can be set once and then is immutable. */
function validateStatus({ status }: ResourcePoolStatusRequest, old: ResourcePoolStatusRequest): ErrorList {
  const path = Path.of('status');
  if (!old.status) return status ? validateConditions(status.conditions, path.child('conditions')) : [];
  if (semanticEqual(status, old.status)) return [];
  const shown = status && internalForm('resource.v1alpha3.ResourcePoolStatusRequestStatus', status);
  return [invalid(path, shown, 'field is immutable')];
}

type CountField = 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices';
const countFields: readonly CountField[] = [
  'totalDevices',
  'availableDevices',
  'allocatedDevices',
  'unavailableDevices',
];

function row({ metadata, spec, status }: ResourcePoolStatusRequest, context: { now: Date }): Cell[] {
  const outcome = status?.conditions?.find(
    (condition) => condition.status === 'True' && ['Complete', 'Failed'].includes(condition.type),
  );
  const pools: readonly PoolStatus[] = status?.pools ?? [];
  const poolCount = status?.poolCount ?? 0;
  const isTruncated = outcome?.type === 'Complete' && poolCount > pools.length;
  const state = isTruncated ? `Complete (${pools.length}/${poolCount} pools)` : (outcome?.type ?? 'Pending');
  const isCounted = status !== undefined && outcome?.type !== 'Failed';
  const sum = (field: CountField) => String(pools.reduce((total, pool) => total + (pool[field] ?? 0), 0));
  const failures = pools.filter(({ validationError }) => validationError !== undefined).length;
  return [
    metadata.name ?? '',
    spec.driver ?? '',
    ...countFields.map((field) => (isCounted ? sum(field) : '-')),
    isCounted ? String(failures) : '-',
    poolCount,
    state,
    outcome?.type === 'Complete' ? translateTimestampSince(outcome.lastTransitionTime, context) : '<none>',
  ];
}

export const resourcePoolStatusRequestStrategy: Strategy<ResourcePoolStatusRequest> = {
  allowUnconditionalUpdate: false,
  validate: (request, { features }) => validateDeclaratively(request, undefined, rules, features),
  validateUpdate: (request, old, { features }) => validateDeclaratively(request, old, rules, features),
  subresources: {
    status: {
      owns: ['status'],
      metadata: 'none',
      validateUpdate: (request, old, { features }) => [
        ...validateStatus(request, old),
        ...validateDeclaratively(request, old, rules, features),
      ],
    },
  },
  table: {
    columns: columns(
      'Name',
      'Driver',
      'Total',
      'Available',
      'Allocated',
      'Unavailable',
      'Errors',
      'Pools:integer',
      'Status',
      'Completed',
    ),
    row,
  },
};
