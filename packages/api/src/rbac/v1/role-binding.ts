import {
  type ErrorList,
  invalid,
  isPathSegmentName,
  jsonEquals,
  notSupported,
  Path,
  required,
  validateServiceAccountName,
} from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';
import type { ClusterRoleBinding, RoleBinding, Subject } from '../../generated/rbac/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import { revalidated } from '../../strategy/revalidated.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns, type TablePrinter } from '../../strategy/table.ts';

type Binding = RoleBinding | ClusterRoleBinding;

const group = 'rbac.authorization.k8s.io';
const refPath = Path.of('roleRef');
const internalForm = internalFormOf('RoleRef APIGroup=apiGroup:s Kind:s Name:s');

export function setBindingDefaults({ roleRef, subjects }: Binding): void {
  roleRef.apiGroup ||= group;
  for (const subject of subjects ?? []) if (isPerson(subject)) subject.apiGroup ||= group;
}

const isPerson = ({ kind }: Subject): boolean => kind === 'User' || kind === 'Group';

function validateBinding({ roleRef, subjects = [] }: Binding, roleKinds: readonly string[]): ErrorList {
  const { apiGroup = '', kind, name } = roleRef;
  return [
    ...unlessSupported(refPath.child('apiGroup'), apiGroup, [group]),
    ...unlessSupported(refPath.child('kind'), kind, roleKinds),
    ...(name ? invalidEach(refPath.child('name'), name, isPathSegmentName(name)) : [required(refPath.child('name'))]),
    ...subjects.flatMap((subject, i) => validateSubject(subject, Path.of('subjects').index(i), roleKinds.length > 1)),
  ];
}

/** Validates a subject. In a RoleBinding, a service account without namespace is in the binding's. */
function validateSubject(subject: Subject, path: Path, isNamespaced: boolean): ErrorList {
  const { kind, name, namespace, apiGroup = '' } = subject;
  const errors = name ? [] : [required(path.child('name'))];
  if (isPerson(subject)) return [...errors, ...unlessSupported(path.child('apiGroup'), apiGroup, [group])];
  if (kind !== 'ServiceAccount')
    return [...errors, notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group'])];
  if (name) errors.push(...invalidEach(path.child('name'), name, validateServiceAccountName(name, false)));
  errors.push(...unlessSupported(path.child('apiGroup'), apiGroup, ['']));
  if (!isNamespaced && !namespace) errors.push(required(path.child('namespace')));
  return errors;
}

function validateUnchangedRole({ roleRef }: Binding, old: Binding): ErrorList {
  if (jsonEquals(roleRef, old.roleRef)) return [];
  return [invalid(refPath, internalForm('RoleRef', roleRef), 'cannot change roleRef')];
}

function namesOf(subjects: readonly Subject[] | undefined, kind: string): string {
  return (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ namespace = '', name }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ');
}

const table: TablePrinter<Binding> = {
  columns: columns('Name', 'Role', 'Age', 'Users (wide)', 'Groups (wide)', 'ServiceAccounts (wide)'),
  row: ({ metadata, roleRef, subjects }, context) => [
    metadata.name ?? '',
    `${roleRef.kind}/${roleRef.name}`,
    translateTimestampSince(metadata.creationTimestamp, context),
    ...['User', 'Group', 'ServiceAccount'].map((kind) => namesOf(subjects, kind)),
  ],
};

/** Returns the strategy of a binding that may refer to these kinds of roles. */
const bindingStrategy = (...roleKinds: readonly string[]): Strategy<Binding> => ({
  ...revalidated<Binding>({
    validateName: isPathSegmentName,
    validate: (binding) => validateBinding(binding, roleKinds),
    validateChange: validateUnchangedRole,
  }),
  allowCreateOnUpdate: true,
  table,
});

export const roleBindingStrategy: Strategy<Binding> = bindingStrategy('Role', 'ClusterRole');
export const clusterRoleBindingStrategy: Strategy<Binding> = bindingStrategy('ClusterRole');
