import { type ErrorList, invalid, isDns1035Label, type Path, repeated, required } from '@coxswain/apimachinery';

/** The review versions that the server can send, of both AdmissionReview and ConversionReview. */
export const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

export const isRecognized = (versions: readonly string[]): boolean =>
  versions.some((version) => reviewVersions.includes(version));

/** Validates the review versions that a webhook accepts. */
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
