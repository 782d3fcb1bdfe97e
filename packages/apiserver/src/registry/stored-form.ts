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

/** Their servers keep JSON, which tells an empty list from none. */
const storedAsJson: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/**
 * Brings a new state that a strategy has worked on into the form in which upstream would read it from the store: what
 * its type always writes is there, with its defaults, and lists without items are as protobuf has them.
 */
export function compileStoredForm(
  hub: GroupVersionKind,
  schema: StructSchema,
  { subresources = {} }: Strategy,
  scheme: Scheme,
): (object: KubernetesObject, isNew: boolean) => KubernetesObject {
  // Objects come in complete; only what strategies clear can be missing.
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
      // A strategy may have said something of a new object, and left out what need not be said.
      else if (isNew && type.kind === 'struct')
        complete = { ...complete, [name]: compileNormalizer(type)(value).object };
    }
    return withoutEmpty?.(complete) ?? complete;
  };
}
