import type { GroupVersionKind, GroupVersionResource } from '@coxswain/apimachinery';

/** A resource with the same storage in another group or version. */
export interface EquivalentResource {
  readonly resource: GroupVersionResource;
  /** The kind of the resource or subresource. */
  readonly kind: GroupVersionKind;
}
