import { type ErrorList, isQualifiedName, type Path } from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';

/** How a leader is picked that is known by the lowest version it may act as. */
export const oldestEmulationVersion = 'OldestEmulationVersion';

/** The name of a strategy for picking a leader: one of Kubernetes, or somebody's own with a prefix. */
export function validateLeaseStrategyName(name: string, path: Path): ErrorList {
  // Upstream's path says the field's name twice.
  const at = path.child('strategy');
  return name.includes('/')
    ? invalidEach(at, name, isQualifiedName(name))
    : unlessSupported(at, name, [oldestEmulationVersion]);
}
