import type { ResourceRequirements } from '@coxswain/api/core/v1';

type Texts = Readonly<Record<string, string>>;

/** Returns the merge patch from one map to another. Removed keys are null. */
export function mapPatch(before: Texts | undefined, after: Texts | undefined): Record<string, string | null> | null {
  if (!after) return null;
  const gone = Object.keys(before ?? {}).filter((key) => !Object.hasOwn(after, key));
  return { ...after, ...Object.fromEntries(gone.map((key) => [key, null])) };
}

export function resourcesPatch(before: ResourceRequirements | undefined, after: ResourceRequirements | undefined) {
  if (!after) return null;
  const part = (field: 'limits' | 'requests') =>
    before?.[field] || after[field] ? { [field]: mapPatch(before?.[field], after[field]) } : {};
  return { ...part('limits'), ...part('requests') };
}
