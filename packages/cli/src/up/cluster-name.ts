import { isDns1123Label } from '@coxswain/apimachinery/validation';

/** The name of the default cluster. */
export const defaultClusterName = 'cox';

/**
 * Returns the name of the selected cluster: the given one, else the one in the environment. Throws for an invalid name: it becomes a part
 * of a path and of the names in kubeconfigs.
 */
export function clusterName(
  given: string | undefined,
  { COX_CLUSTER_NAME }: Readonly<Record<string, string | undefined>>,
): string {
  const name = given ?? (COX_CLUSTER_NAME || defaultClusterName);
  const problems = isDns1123Label(name);
  if (problems.length > 0)
    throw new Error(`${JSON.stringify(name)} is not a valid cluster name: ${problems.join(', ')}`);
  return name;
}

/** Returns the name of cluster, user and context in kubeconfigs: `cox`, or `cox-dev` for a cluster `dev`. */
export const contextNameOf = (name: string): string => (name === defaultClusterName ? 'cox' : `cox-${name}`);
