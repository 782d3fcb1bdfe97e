import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { DeletedFinalStateUnknown } from '@coxswain/client';

/** The object that `onDelete` hears of, as it was last known. */
export const deletedObject = <T extends KubernetesObject>(deleted: T | DeletedFinalStateUnknown<T>): T =>
  deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
