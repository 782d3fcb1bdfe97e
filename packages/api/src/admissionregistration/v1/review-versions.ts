import { type ErrorList, invalid, isDns1035Label, type Path, repeated, required } from '@coxswain/apimachinery';

/** Versions of reviews that the server can send: those of admission and of conversion alike. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

export const isRecognized = (versions: readonly string[]): boolean =>
  versions.some((version) => reviewVersions.includes(version));

/** Versions of reviews that a webhook can read. */
export function validateReviewVersions(
  versions: readonly string[],
  { mustBeRecognized, ifMissing }: { readonly mustBeRecognized: boolean; readonly ifMissing: string },
  path: Path,
): ErrorList {
  if (versions.length === 0) return [required(path, ifMissing)];
  const errors: ErrorList = [];
  const isRepeated = repeated(versions);
  versions.forEach((version, i) => {
    const problems = isRepeated[i] ? ['duplicate version'] : isDns1035Label(version);
    for (const problem of problems) errors.push(invalid(path.index(i), version, problem));
  });
  if (mustBeRecognized && !isRecognized(versions)) {
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return errors;
}
