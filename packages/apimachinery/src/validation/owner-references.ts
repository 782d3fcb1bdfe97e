import { type ErrorList, invalid, type Path } from '../field/index.ts';
import type { OwnerReference } from '../meta/object-meta.ts';

/** Kinds that come and go too fast to own anything, as upstream prints them. */
const bannedOwners: ReadonlySet<string> = new Set(['/v1, Kind=Event']);

/** Each reference by itself, and one controller at most. Errors name the list, as upstream's do. */
export function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: Path): ErrorList {
  const errors: ErrorList = [];
  let controller: string | undefined;
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path));
    if (!reference.controller) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === undefined) controller = name;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalid(path, references, detail));
    }
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: Path): ErrorList {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const [group, version] = splitApiVersion(apiVersion);
  const errors: ErrorList = [];
  if (version === '') errors.push(invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  for (const [field, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(invalid(path.child(field), value, 'must not be empty'));
  }
  const printed = `${group}/${version}, Kind=${kind}`;
  if (bannedOwners.has(printed)) errors.push(invalid(path, reference, `${printed} is disallowed from being an owner`));
  return errors;
}

/** An apiVersion with more than one slash names no version at all. */
function splitApiVersion(apiVersion: string): [group: string, version: string] {
  const parts = apiVersion.split('/', 3);
  if (parts.length === 1) return ['', apiVersion];
  return parts.length === 2 ? [parts[0]!, parts[1]!] : ['', ''];
}
