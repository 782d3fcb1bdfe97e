import type { Strategy } from '@coxswain/api';
import {
  cloneJson,
  compileEmptyCollections,
  compileNormalizer,
  type GroupVersionKind,
  isAlwaysWritten,
  type KubernetesObject,
  type Scheme,
  type StructSchema,
} from '@coxswain/apimachinery';

/** Groups that upstream stores as JSON, which, unlike protobuf, distinguishes an empty list from null. */
const storedAsJson: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/**
 * Returns a function that converts an object, after its strategy, into the form in which upstream would read it back from the
 * store: with all fields that its Go type always encodes, their defaults, and empty lists as protobuf decodes them.
 */
export function compileStoredForm(
  hub: GroupVersionKind,
  schema: StructSchema,
  { subresources = {} }: Strategy,
  scheme: Scheme,
): (object: KubernetesObject, isNew: boolean) => KubernetesObject {
  // Objects are normalized when they are decoded, so only fields that strategies clear can be missing.
  const cleared = Object.values(subresources)
    .flatMap(({ owns }) => owns)
    .flatMap((name) => schema.fields.get(name) ?? [])
    .filter(isAlwaysWritten);
  const withoutEmpty = storedAsJson.has(hub.group) ? undefined : compileEmptyCollections(schema);
  let defaults: Record<string, unknown> | undefined;
  const defaultOf = (name: string): unknown => {
    if (!defaults) {
      defaults = compileNormalizer(schema)({ apiVersion: hub.apiVersion, kind: hub.kind }).object;
      scheme.default(defaults);
    }
    return cloneJson(defaults[name]);
  };
  return (object, isNew) => {
    let complete: Record<string, unknown> & KubernetesObject = object as Record<string, unknown>;
    for (const { name, schema: type } of cleared) {
      const value = complete[name];
      if (value === undefined) complete = { ...complete, [name]: defaultOf(name) };
      // A strategy may have set this field of a new object, without the fields that are always encoded.
      else if (isNew && type.kind === 'struct')
        complete = { ...complete, [name]: compileNormalizer(type)(value).object };
    }
    return withoutEmpty?.(complete) ?? complete;
  };
}
