import { reasonOf } from '@coxswain/apimachinery/log';

const places = 'choose a directory of your own with --data-dir, or a file with --kubeconfig';

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: 'stop the program that listens there, or choose another port with --port (0 selects a free one)',
  EACCES: `permission is missing; choose a port above 1023 with --port, ${places}`,
  EPERM: `permission is missing; ${places}`,
  EROFS: places,
  ENOENT: places,
  ENOTDIR: places,
  EEXIST: places,
  ENOSPC: 'free some space, or choose another directory with --data-dir',
};

/** Returns the error's message with advice. */
export function explainError(error: unknown): string {
  const hint = hintFor(error);
  return hint ? `${reasonOf(error)}; ${hint}` : reasonOf(error);
}

function hintFor(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'DataDirectoryError')
    return / is (damaged|incomplete)/.test(error.message)
      ? 'cox reset deletes the cluster with all its data, and --data-dir selects another directory'
      : 'choose another with --data-dir';
  const code = 'code' in error ? error.code : undefined;
  return code === undefined ? hintFor(error.cause) : advice[String(code)];
}
