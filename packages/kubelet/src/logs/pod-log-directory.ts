/**
 * Returns the uid of the pod that a directory in the directory of all logs belongs to: `default_web_<uid>`. Those of old kubelets have
 * only the uid as name.
 */
export const podUidOfLogDirectory = (name: string): string => name.slice(name.lastIndexOf('_') + 1);
