import { isDns1123Label } from '@coxswain/apimachinery/validation';

/** The cluster of those who name none. */
export const defaultClusterName = 'cox';

/**
 * The name of the cluster that is meant: the given one, else the one in the environment. Throws for what is no name: it becomes a part
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

/** What cluster, user and context are called in kubeconfigs: `cox`, or `cox-dev` of a cluster `dev`. */
export const contextNameOf = (name: string): string => (name === defaultClusterName ? 'cox' : `cox-${name}`);
