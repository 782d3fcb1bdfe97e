import { type ErrorList, isQualifiedName, type Path } from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';

/** The strategy that elects the candidate with the lowest emulation version. */
export const oldestEmulationVersion = 'OldestEmulationVersion';

/** Validates the name of a leader election strategy: one of Kubernetes' own, or a name with a domain prefix. */
export function validateLeaseStrategyName(name: string, path: Path): ErrorList {
  // Upstream's path contains the field's name twice.
  const at = path.child('strategy');
  return name.includes('/')
    ? invalidEach(at, name, isQualifiedName(name))
    : unlessSupported(at, name, [oldestEmulationVersion]);
}
