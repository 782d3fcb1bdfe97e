import {
  type Condition,
  type ErrorList,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  Path,
  required,
  semanticEqual,
  validateConditions,
} from '@coxswain/apimachinery';
import type { StorageVersionMigration } from '../../generated/storagemigration/v1beta1.ts';
import type { GroupVersionBehaviour, Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const spec = Path.of('spec');
const status = Path.of('status');

function validate(migration: StorageVersionMigration): ErrorList {
  const errors: ErrorList = [];
  const { group = '', resource = '' } = migration.spec?.resource ?? {};
  const path = spec.child('resource');
  const complain = (field: string, value: string, problems: readonly string[]) => {
    if (problems.length > 0) errors.push(invalid(path.child(field), value, problems.join(',')));
  };
  if (resource === '') errors.push(required(path.child('resource'), 'resource is required to be set'));
  else complain('resource', resource, isDns1035Label(resource));
  if (group !== '') complain('group', group, isDns1123Subdomain(group));
  return errors;
}

const isTrue = (migration: StorageVersionMigration, wanted: string): boolean =>
  migration.status?.conditions?.find(({ type }: Condition) => type === wanted)?.status === 'True';

/** Returns a condition with fields in the order of Go's struct, as messages print it. */
function inOrder({ type, status: state, observedGeneration, lastTransitionTime, reason, message }: Condition): object {
  return { type, status: state, observedGeneration, lastTransitionTime, reason, message };
}

function validateStatusUpdate(migration: StorageVersionMigration, old: StorageVersionMigration): ErrorList {
  const errors: ErrorList = [];
  const { resourceVersion = '', conditions } = migration.status ?? {};
  const versionPath = status.child('resourceVersion');
  if (resourceVersion !== '' && !/^[1-9][0-9]*$/.test(resourceVersion)) {
    const detail = `resource version is not well formed: ${resourceVersion}`;
    errors.push(invalid(versionPath, resourceVersion, detail));
  }
  errors.push(...validateConditions(conditions, status.child('conditions')));
  const before = old.status?.resourceVersion ?? '';
  if (before !== '' && before !== resourceVersion) {
    errors.push(invalid(versionPath, resourceVersion, 'field is immutable'));
  }
  const complain = (detail: string) =>
    errors.push(invalid(status.child('conditions'), conditions?.map(inOrder), detail));
  if (isTrue(migration, 'Succeeded') && isTrue(migration, 'Failed')) {
    complain('Both success and failed conditions cannot be true at the same time');
  }
  if (isTrue(old, 'Succeeded') && !isTrue(migration, 'Succeeded')) {
    complain('Success condition cannot be set to false once it is true');
  }
  if (isTrue(old, 'Failed') && !isTrue(migration, 'Failed')) {
    complain('Failed condition cannot be set to false once it is true');
  }
  return errors;
}

const finalTypes = ['Running', 'Succeeded', 'Failed'];

const strategy: Strategy<StorageVersionMigration> = {
  allowUnconditionalUpdate: false,
  subresources: { status: { owns: ['status'], metadata: 'none', validateUpdate: validateStatusUpdate } },
  validate,
  validateUpdate: (migration, old) => {
    const errors = validate(migration);
    if (semanticEqual(migration.spec, old.spec)) return errors;
    const { group = '', resource = '' } = migration.spec?.resource ?? {};
    // Upstream prints its internal type, whose field has no JSON name.
    return [...errors, invalid(spec, { Resource: { group, resource } }, 'field is immutable')];
  },
  table: {
    // Upstream does not mark the first column as the name.
    columns: columns('Name', 'Resource', 'Status').map(({ format: _, ...column }) => column),
    row: (migration) => {
      const { group, resource = '' } = migration.spec?.resource ?? {};
      const state = migration.status?.conditions?.filter(
        (condition) => condition.status === 'True' && finalTypes.includes(condition.type),
      );
      return [
        migration.metadata.name ?? '',
        group ? `${resource}.${group}` : resource,
        state?.[state.length - 1]?.type ?? 'Unknown',
      ];
    },
  },
};

export const behaviour: GroupVersionBehaviour = {
  group: 'storagemigration.k8s.io',
  version: 'v1beta1',
  strategies: { StorageVersionMigration: strategy },
};
