import type { ParamKind, ParamRef } from '@coxswain/api/admissionregistration/v1';
import { GroupVersion, type GroupVersionKind, type KubernetesObject, labels } from '@coxswain/apimachinery';

/** The objects of a paramKind, in its version. */
export interface ParamObjects {
  readonly namespaced: boolean;
  get(namespace: string, name: string): Promise<KubernetesObject | undefined>;
  /** All objects of a namespace, or of all namespaces for an empty one. */
  list(namespace: string): Promise<readonly KubernetesObject[]>;
}

/** Returns the objects of a kind; undefined when it is not served. */
export type FindParamObjects = (kind: GroupVersionKind) => ParamObjects | undefined;

const kindOf = ({ apiVersion = '', kind = '' }: ParamKind): GroupVersionKind =>
  GroupVersion.parse(apiVersion).withKind(kind);

/** Returns the objects of a paramKind; undefined without one. Throws an Error when the kind is not served. */
export function paramObjects(paramKind: ParamKind | undefined, find: FindParamObjects): ParamObjects | undefined {
  if (!paramKind) return undefined;
  const kind = kindOf(paramKind);
  const found = find(kind);
  if (!found)
    throw new Error(
      `failed to find resource referenced by paramKind: '${kind.group}/${kind.version}, Kind=${kind.kind}'`,
    );
  return found;
}

/**
 * Returns the parameters of a binding for a write in the namespace. The policy is evaluated once for each: once with
 * undefined when it has no parameters. Throws an Error when the reference is invalid, or missing parameters are denied.
 */
export async function collectParams(
  objects: ParamObjects | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<readonly (KubernetesObject | undefined)[]> {
  if (!objects || !ref) return [undefined];
  const where = objects.namespaced ? ref.namespace || namespace : '';
  if (objects.namespaced && where === '')
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  if (!objects.namespaced && ref.namespace)
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const found = await select(objects, ref, where);
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

async function select(objects: ParamObjects, ref: ParamRef, namespace: string): Promise<readonly KubernetesObject[]> {
  if (ref.name) {
    if (ref.selector) throw new Error('paramRef.name and paramRef.selector are mutually exclusive');
    const found = await objects.get(namespace, ref.name);
    return found ? [found] : [];
  }
  if (!ref.selector) throw new Error('one of name or selector must be provided');
  const selector = labels.labelSelectorAsSelector(ref.selector);
  const all = await objects.list(namespace);
  return all.filter(({ metadata }) => selector.matches(metadata?.labels ?? {}));
}
