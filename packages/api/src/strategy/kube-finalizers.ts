import { type ErrorList, invalid, type KubernetesObject, Path } from '@coxswain/apimachinery';

/** The finalizer names that are valid without a domain. */
const standard: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** API groups whose validation does not check finalizer names beyond the generic rules for metadata. */
const lenient: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
]);

const finalizersPath = Path.of('metadata', 'finalizers');

/** Refuses a name that is neither a standard finalizer nor qualified by a domain. */
export function validateKubeFinalizerName(name: string, path: Path): ErrorList {
  return name.includes('/') || standard.has(name)
    ? []
    : [invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/** Validates the finalizers of an object of a built-in kind. */
export function validateKubeFinalizers({ apiVersion = '', metadata }: KubernetesObject): ErrorList {
  const { finalizers } = metadata ?? {};
  if (!finalizers || lenient.has(apiVersion.split('/', 1)[0]!)) return [];
  return finalizers.flatMap((name, i) => validateKubeFinalizerName(name, finalizersPath.index(i)));
}
