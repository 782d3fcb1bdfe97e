import { type ErrorList, type Path, required } from '@coxswain/apimachinery';
import type { Counter } from '../../generated/resource/v1.ts';
import { validateMap } from './collections.ts';
import { validateLabel } from './names.ts';

const maxCounters = 32;
const maxNameLength = 63;

/** Validates a named set of counters, of a slice or consumed by a device. */
export function validateCounters(
  name: string | undefined,
  counters: Readonly<Record<string, Counter>> | undefined,
  namePath: Path,
  countersPath: Path,
): ErrorList {
  const limits = { maxItems: maxCounters, keyLength: maxNameLength };
  return [
    ...(name ? validateLabel(name, namePath) : [required(namePath)]),
    ...(Object.keys(counters ?? {}).length === 0
      ? [required(countersPath)]
      : validateMap(counters, limits, validateLabel, () => [], countersPath)),
  ];
}
