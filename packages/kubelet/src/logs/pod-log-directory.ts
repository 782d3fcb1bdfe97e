import { join } from 'node:path';
import type { Pod } from '@coxswain/api/core/v1';

/** Returns the directory of a pod's logs. `root` is the directory of all logs, such as `/var/log/pods`. */
export const podLogDirectory = (root: string, { metadata: { namespace = '', name = '', uid = '' } }: Pod): string =>
  join(root, `${namespace}_${name}_${uid}`);

/**
 * Returns the uid of the pod that a directory in the directory of all logs belongs to: `default_web_<uid>`. Those of old kubelets have
 * only the uid as name.
 */
export const podUidOfLogDirectory = (name: string): string => name.slice(name.lastIndexOf('_') + 1);
