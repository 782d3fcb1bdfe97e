import { messageOf, newBadRequest } from '@coxswain/apimachinery/errors';
import { parse as parseFieldSelector } from '@coxswain/apimachinery/fields';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { parse as parseLabelSelector } from '@coxswain/apimachinery/labels';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';

export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The selectable fields of every resource. */
const commonFields = ['metadata.name', 'metadata.namespace'];

/**
 * Returns a predicate for both selectors. Throws BadRequest, like the server for kinds without further selectable
 * fields, when a field is neither common nor in `selectableFields`.
 */
export function objectMatcher(
  { labelSelector = '', fieldSelector = '' }: Selection,
  selectableFields: readonly string[] = [],
): (object: KubernetesObject) => boolean {
  const labels = readable(() => parseLabelSelector(labelSelector));
  const fields = readable(() => parseFieldSelector(fieldSelector));
  const known = [...commonFields, ...selectableFields];
  const names = fields.requirements().map(({ field }) => field);
  const unknown = names.find((field) => !known.includes(field));
  if (unknown !== undefined) {
    const all = known.map((field) => `"${field}"`).join(', ');
    throw newBadRequest(`"${unknown}" is not a known field selector: only ${all}`);
  }
  return (object) =>
    labels.matches(object.metadata?.labels) &&
    fields.matches(Object.fromEntries(names.map((field) => [field, fieldOf(object, field)])));
}

function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw newBadRequest(messageOf(error), { cause: error });
  }
}

function fieldOf(object: KubernetesObject, path: string): string {
  let value: unknown = object;
  for (const name of path.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value === undefined || value === null ? '' : String(value);
}
