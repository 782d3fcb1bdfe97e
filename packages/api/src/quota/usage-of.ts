import { GroupResource, type KubernetesObject } from '@coxswain/apimachinery';
import type { ResourceQuota } from '../generated/core/v1.ts';
import { type Amounts, addTo, type ResourceList, resourceListOf } from './amounts.ts';
import { isInScopes, scopesOf, zero } from './evaluator.ts';
import type { Evaluators } from './evaluators.ts';

/** Returns the objects of a resource in the quota's namespace; undefined for an unknown resource. */
type ObjectsOf = (groupResource: GroupResource) => readonly KubernetesObject[] | undefined;

/** Returns the usage of a quota by the existing objects, for its status. Names that no evaluator measures are left out. */
export function usageOf({ spec = {} }: ResourceQuota, objectsOf: ObjectsOf, evaluators: Evaluators): ResourceList {
  const names = Object.keys(spec.hard ?? {});
  const scopes = scopesOf(spec);
  const generic = names.filter(
    (name) => name.startsWith('count/') && !evaluators.special.some((evaluator) => evaluator.measures(name)),
  );
  const all = [
    ...evaluators.special,
    ...generic.map((name) => evaluators.of(GroupResource.parse(name.slice('count/'.length)))),
  ];
  const used: Amounts = new Map();
  for (const evaluator of all) {
    const measured = names.filter((name) => evaluator.measures(name));
    const objects = measured.length > 0 ? objectsOf(evaluator.groupResource) : undefined;
    if (!objects) continue;
    for (const name of measured) if (!used.has(name)) used.set(name, zero);
    for (const object of objects) {
      if (!isInScopes(evaluator, object, scopes)) continue;
      const usage = evaluator.usage(object);
      for (const name of usage.keys()) if (!measured.includes(name)) usage.delete(name);
      addTo(used, usage);
    }
  }
  return resourceListOf(used);
}
