import { duplicate, type ErrorList, Path, repeated, required } from '@coxswain/apimachinery';

interface Status {
  readonly conditions?: readonly { readonly type?: string }[];
}

/** Validates that conditions have unique, non-empty types. */
export function validateStatus({ status }: { readonly status?: Status }): ErrorList {
  const conditions = status?.conditions ?? [];
  const isRepeated = repeated(conditions, ({ type = '' }) => type);
  return conditions.flatMap(({ type = '' }, i) => {
    const path = Path.of('status', 'conditions').index(i).child('type');
    return [...(isRepeated[i] ? [duplicate(path, type)] : []), ...(type ? [] : [required(path)])];
  });
}
