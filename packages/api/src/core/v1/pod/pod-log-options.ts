import { type ErrorList, forbidden, invalid, isNegativeErrorMessage, Path, required } from '@coxswain/apimachinery';
import type { PodLogOptions } from '../../../generated/core/v1.ts';
import { unlessSupported } from '../checks.ts';
import { refusePod } from './mirror-pod.ts';

const positive = (value: number | undefined, name: string): ErrorList =>
  value !== undefined && value < 1 ? [invalid(Path.of(name), value, 'must be greater than 0')] : [];

/** Validates the options of a log request. `selectsStreams` says whether the feature for selecting a stream is on. */
export function validatePodLogOptions(options: PodLogOptions, selectsStreams: boolean): ErrorList {
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = options;
  const errors: ErrorList = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid(Path.of('tailLines'), tailLines, isNegativeErrorMessage));
  errors.push(...positive(limitBytes, 'limitBytes'));
  errors.push(
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? refusePod('at most one of `sinceTime` or `sinceSeconds` may be specified')
      : positive(sinceSeconds, 'sinceSeconds')),
  );
  const path = Path.of('stream');
  if (!selectsStreams) return stream === undefined ? errors : [...errors, forbidden(path, 'may not be specified')];
  if (stream === undefined) return [...errors, required(path, 'must be specified')];
  errors.push(...unlessSupported(path, stream, ['All', 'Stderr', 'Stdout']));
  if (stream !== 'All' && tailLines !== undefined)
    errors.push(...refusePod('`tailLines` and specific `stream` are mutually exclusive for now'));
  return errors;
}
