import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** Whether the object is being deleted and still has the finalizer. */
export const isDeletionCandidate = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata?.deletionTimestamp !== undefined && hasFinalizer({ metadata }, finalizer);

/** Whether the object is not being deleted and lacks the finalizer. */
export const needsFinalizer = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata?.deletionTimestamp === undefined && !hasFinalizer({ ...(metadata && { metadata }) }, finalizer);

export const hasFinalizer = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata?.finalizers?.includes(finalizer) ?? false;

/** Returns the object with the finalizer appended. */
export const withFinalizer = <T extends KubernetesObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [...(object.metadata?.finalizers ?? []), finalizer] },
});

export const withoutFinalizer = <T extends KubernetesObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: object.metadata?.finalizers?.filter((each) => each !== finalizer) ?? [] },
});
