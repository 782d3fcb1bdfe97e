import type { DeleteOptions, GroupVersionResource } from '@coxswain/apimachinery/meta';
import type { Unstructured } from '../dynamic/unstructured.ts';
import type { PatchType } from '../rest/resource-interface.ts';

/** What a client asked for. */
export interface Action {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped resources and for all namespaces. */
  readonly namespace: string;
  /** Empty for collections, and when something is created. */
  readonly name: string;
  /** The query. */
  readonly options: Readonly<Record<string, string>>;
  /** What is created, or replaces. */
  readonly object?: Unstructured;
  readonly patch?: { readonly type: PatchType | 'apply'; readonly body: unknown };
  readonly deleteOptions?: DeleteOptions;
}

/**
 * Whether the action is of that verb and resource: `pods` with all its subresources, `pods/status` only that one,
 * `*` any.
 */
export function matchesAction(action: Action, verb: string, resource: string): boolean {
  if (verb !== '*' && verb !== action.verb) return false;
  return (
    resource === '*' ||
    resource === action.resource.resource ||
    resource === `${action.resource.resource}/${action.subresource}`
  );
}
