import type { KubernetesObject } from '@coxswain/apimachinery/meta';

/** It is to go, and only waits for those who have put finalizers on it, this one among them. */
export const isDeletionCandidate = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata?.deletionTimestamp !== undefined && hasFinalizer({ metadata }, finalizer);

/** It stays, and does not have the finalizer. */
export const needsFinalizer = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata?.deletionTimestamp === undefined && !hasFinalizer({ ...(metadata && { metadata }) }, finalizer);

export const hasFinalizer = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata?.finalizers?.includes(finalizer) ?? false;

/** The object with the finalizer at the end of its others. */
export const withFinalizer = <T extends KubernetesObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [...(object.metadata?.finalizers ?? []), finalizer] },
});

export const withoutFinalizer = <T extends KubernetesObject>(object: T, finalizer: string): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers: object.metadata?.finalizers?.filter((each) => each !== finalizer) ?? [] },
});
