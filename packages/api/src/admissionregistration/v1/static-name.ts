import { type ErrorList, invalid, type KubernetesObject, Path } from '@coxswain/apimachinery';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';

const reserved =
  'names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API';

const isStatic = ({ metadata }: KubernetesObject): boolean => metadata?.name?.endsWith('.static.k8s.io') ?? false;

/** Refuses names reserved for configurations from the server's static manifests, while that feature is on. */
export function validateStaticName(object: KubernetesObject, { features }: StrategyContext): ErrorList {
  if (!isStatic(object) || !features.enabled('ManifestBasedAdmissionControlConfig')) return [];
  return [invalid(Path.of('metadata', 'name'), object.metadata?.name, reserved)];
}

const warnings = (object: KubernetesObject): string[] => (isStatic(object) ? [`metadata.name: ${reserved}`] : []);

/** Warns of names that are reserved for configurations from the server's static manifests. */
export const staticNameWarnings: Pick<Strategy, 'warningsOnCreate' | 'warningsOnUpdate'> = {
  warningsOnCreate: (object, { features }) =>
    features.enabled('ManifestBasedAdmissionControlConfig') ? [] : warnings(object),
  warningsOnUpdate: (object) => warnings(object),
};
