import type { GroupVersionKind, GroupVersionResource } from '@coxswain/apimachinery';

/** A resource under another name or in another version. */
export interface EquivalentResource {
  readonly resource: GroupVersionResource;
  /** Of what is written: of the subresource where the write is to one. */
  readonly kind: GroupVersionKind;
}
