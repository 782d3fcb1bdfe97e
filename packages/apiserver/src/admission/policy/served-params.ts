import { isNotFound, type KubernetesObject } from '@coxswain/apimachinery';
import type { ResourceRegistry } from '../../registry/resource-registry.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { Turns } from '../../turns/turns.ts';
import type { ParamObjects } from './params.ts';

/** A stored resource in the requested version. */
interface StoredScope {
  readonly registry: ResourceRegistry;
  readonly namespaced: boolean;
  toVersion(hub: KubernetesObject): KubernetesObject;
}

/** A served resource, which stays available while `during` runs. */
interface ServedScope {
  readonly scope: StoredScope;
  during<T>(answer: () => Promise<T>): Promise<T>;
}

/** Caches decoded objects, as parameters are read often. */
const decoded = new WeakMap<StoredScope, WeakMap<StoredObject, KubernetesObject>>();

/** The objects of a served resource as parameters of policies. */
export function servedParams({ scope, during }: ServedScope): ParamObjects {
  const { registry, namespaced } = scope;
  const known = decoded.get(scope) ?? new WeakMap<StoredObject, KubernetesObject>();
  decoded.set(scope, known);
  const read = (stored: StoredObject): KubernetesObject => {
    let object = known.get(stored);
    if (!object) {
      object = scope.toVersion(registry.codec.decode(stored.line));
      known.set(stored, object);
    }
    return object;
  };
  return {
    namespaced,
    get: (namespace, name) =>
      during(async () => {
        try {
          return read(await registry.get(namespace, name, '0'));
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      }),
    list: (namespace) =>
      during(async () => {
        await registry.ready();
        const { entries } = registry.cache.list(registry.keys.namespacePrefix(namespace));
        const stored = entries.map(({ value }) => value);
        await registry.prepare(stored);
        const turns = new Turns(registry.eventLoop);
        const objects: KubernetesObject[] = [];
        for (const one of stored) {
          await turns.next();
          objects.push(read(registry.view(one)));
        }
        return objects;
      }),
  };
}
