import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Lister } from '../../registry/lister.ts';

/** The newest class with one of the annotations set to `true`; of equally old ones, the first by name. */
export async function defaultClass<T extends KubernetesObject>(
  classes: Lister<T>,
  annotations: readonly string[],
): Promise<T | undefined> {
  await classes.synced;
  const isDefault = ({ metadata }: T): boolean =>
    annotations.some((annotation) => metadata?.annotations?.[annotation] === 'true');
  // The lister sorts by name.
  return classes
    .list()
    .filter(isDefault)
    .reduce<T | undefined>(
      (newest, next) => (newest && createdAt(newest) >= createdAt(next) ? newest : next),
      undefined,
    );
}

/** RFC 3339 in UTC, which sorts as text. */
const createdAt = ({ metadata }: KubernetesObject): string => metadata?.creationTimestamp ?? '';
