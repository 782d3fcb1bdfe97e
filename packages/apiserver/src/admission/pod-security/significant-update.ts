import type { Pod } from '@coxswain/api/core/v1';

type Containers = readonly { readonly name: string; readonly image?: string }[] | undefined;

const sameImages = (a: Containers = [], b: Containers = []): boolean =>
  a.length === b.length && a.every(({ image = '' }, i) => image === (b[i]?.image ?? ''));

/**
 * Whether an update changes the images of a pod. Other updates are not checked, so that existing pods may be labelled.
 */
export function isSignificantUpdate({ spec }: Pod, { spec: old }: Pod): boolean {
  if (!sameImages(spec?.containers, old?.containers)) return true;
  if (!sameImages(spec?.initContainers, old?.initContainers)) return true;
  const before = new Map(old?.ephemeralContainers?.map(({ name, image = '' }) => [name, image]));
  return !!spec?.ephemeralContainers?.some(({ name, image = '' }) => before.get(name) !== image);
}
