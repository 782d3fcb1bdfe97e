import { type ErrorList, invalid, type Path } from '../field/index.ts';
import type { OwnerReference } from '../meta/object-meta.ts';

/** Kinds that come and go too fast to own anything, as upstream prints them. */
const bannedOwners: ReadonlySet<string> = new Set(['/v1, Kind=Event']);

/** Each reference by itself, and one controller at most. Errors name the list, as upstream's do. */
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
  const printed = `${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind}`;
  if (bannedOwners.has(printed)) errors.push(invalid(path, reference, `${printed} is disallowed from being an owner`));
}

/** An apiVersion with more than one slash names no group and no version at all. */
function versionOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === apiVersion.lastIndexOf('/') ? apiVersion.slice(slash + 1) : '';
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash > 0 && slash === apiVersion.lastIndexOf('/') ? apiVersion.slice(0, slash) : '';
}
