import type { DeleteOptions, GroupVersionResource } from '@coxswain/apimachinery/meta';
import type { Unstructured } from '../dynamic/unstructured.ts';
import type { PatchType } from '../rest/resource-interface.ts';

/** A request of a client. */
export interface Action {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** Empty for collections and for create. */
  readonly name: string;
  /** The query parameters. */
  readonly options: Readonly<Record<string, string>>;
  /** The object to create, or the replacement. */
  readonly object?: Unstructured;
  readonly patch?: { readonly type: PatchType | 'apply'; readonly body: unknown };
  readonly deleteOptions?: DeleteOptions;
}

/**
 * Whether the action matches the verb and resource: `pods` matches all its subresources, `pods/status` only that one,
 * and `*` anything.
 */
export function matchesAction(action: Action, verb: string, resource: string): boolean {
  if (verb !== '*' && verb !== action.verb) return false;
  return (
    resource === '*' ||
    resource === action.resource.resource ||
    resource === `${action.resource.resource}/${action.subresource}`
  );
}
