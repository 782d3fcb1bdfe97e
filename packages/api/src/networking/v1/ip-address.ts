import {
  type ErrorList,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidIP,
  Path,
  required,
  validateImmutableField,
} from '@coxswain/apimachinery';
import { invalidEach } from '../../core/v1/checks.ts';
import type { IPAddress, ParentReference } from '../../generated/networking/v1.ts';
import { internalFormOf } from '../../strategy/internal-form.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import { revalidated } from '../../strategy/revalidated.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { requiredSegment } from './ingress-validation.ts';

const parentPath = Path.of('spec', 'parentRef');
const internalForm = internalFormOf('ParentReference Group:s Resource:s Namespace:s Name:s');

/** Returns the parent reference, which can be absent in memory although its type says otherwise. */
const parentOf = ({ spec }: IPAddress): Partial<ParentReference> | undefined => spec?.parentRef;

function validate(address: IPAddress): ErrorList {
  const parent = parentOf(address);
  if (!parent) return [required(parentPath)];
  const { group, resource, name, namespace } = parent;
  return [
    ...(group ? invalidEach(parentPath.child('group'), group, isDns1123Subdomain(group)) : []),
    ...requiredSegment(resource, parentPath.child('resource')),
    ...requiredSegment(name, parentPath.child('name')),
    ...(namespace ? invalidEach(parentPath.child('namespace'), namespace, isPathSegmentName(namespace)) : []),
  ];
}

/** Formats a parent as `services/default/kubernetes`, with the group after the resource if there is one. */
function printParent(parent: Partial<ParentReference> | undefined): string {
  if (!parent) return '<none>';
  const { group, resource = '', namespace, name = '' } = parent;
  const groupResource = (group ? `${resource}.${group}` : resource).toLowerCase();
  return [groupResource, ...(namespace ? [namespace] : []), name].join('/');
}

const printable = (parent: Partial<ParentReference> | undefined) =>
  parent ? internalForm('ParentReference', parent) : undefined;

export const ipAddressStrategy: Strategy<IPAddress> = {
  ...revalidated<IPAddress>({
    validateName: (name) => isValidIP(Path.of('metadata', 'name'), name).map(({ detail }) => detail),
    validate,
    validateChange: (address, old) =>
      validateImmutableField(printable(parentOf(address)), printable(parentOf(old)), parentPath),
  }),
  table: {
    // Upstream sends an age cell without a column definition, so clients do not show it.
    columns: columns('Name', 'ParentRef'),
    row: (address, context) => [
      address.metadata.name ?? '',
      printParent(parentOf(address)),
      translateTimestampSince(address.metadata.creationTimestamp, context),
    ],
  },
};
