import { type ErrorList, invalid, type Path } from '../field/index.ts';
import type { OwnerReference } from '../meta/object-meta.ts';

/** Validates each reference, and that there is one controller at most. As upstream, errors have the path of the list. */
export function validateOwnerReferences(
  references: readonly OwnerReference[] | undefined,
  path: Path,
  errors: ErrorList = [],
): ErrorList {
  let controller: OwnerReference | undefined;
  for (const reference of references ?? []) {
    validateOwnerReference(reference, path, errors);
    if (!reference.controller) continue;
    if (controller === undefined) controller = reference;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${nameOf(controller)} and ${nameOf(reference)}`;
      errors.push(invalid(path, references, detail));
    }
  }
  return errors;
}

const nameOf = ({ kind, name }: OwnerReference): string => `${kind}/${name}`;

const requiredFields = ['kind', 'name', 'uid'] as const;

function validateOwnerReference(reference: OwnerReference, path: Path, errors: ErrorList): void {
  const { apiVersion = '', kind = '' } = reference;
  if (versionOf(apiVersion) === '') {
    errors.push(invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  }
  for (const field of requiredFields) {
    if (!reference[field]) errors.push(invalid(path.child(field), '', 'must not be empty'));
  }
  // Events are too short-lived to own anything.
  if (kind === 'Event' && versionOf(apiVersion) === 'v1' && isCoreGroup(apiVersion)) {
    errors.push(invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
}

/** Returns the version; empty for an apiVersion with more than one slash. */
function versionOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === apiVersion.lastIndexOf('/') ? apiVersion.slice(slash + 1) : '';
}

const isCoreGroup = (apiVersion: string): boolean => apiVersion.indexOf('/') <= 0;
