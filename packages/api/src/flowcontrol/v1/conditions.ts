import { duplicate, type ErrorList, Path, required } from '@coxswain/apimachinery';

interface Status {
  readonly conditions?: readonly { readonly type?: string }[];
}

/** Conditions have a type, and no two have the same. */
export function validateStatus({ status }: { readonly status?: Status }): ErrorList {
  const conditions = status?.conditions ?? [];
  return conditions.flatMap(({ type = '' }, i) => {
    const path = Path.of('status', 'conditions').index(i).child('type');
    const isRepeated = conditions.findIndex((other) => (other.type ?? '') === type) < i;
    return [...(isRepeated ? [duplicate(path, type)] : []), ...(type ? [] : [required(path)])];
  });
}
