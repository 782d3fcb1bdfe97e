import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { win32 } from 'node:path';
import type { Environment } from './kubeconfig-files.ts';

export interface HomeDirOptions {
  readonly platform?: NodeJS.Platform;
  readonly exists?: (path: string) => boolean;
}

/**
 * The directory that contains `.kube`, determined like in client-go: `$HOME`; on Windows the first of `%HOME%`,
 * `%HOMEDRIVE%%HOMEPATH%` and `%USERPROFILE%` that has a kubeconfig, otherwise the first that exists. When none is set,
 * the system's home directory.
 */
export function homeDir(
  env: Environment,
  { platform = process.platform, exists = existsSync }: HomeDirOptions = {},
): string {
  if (platform !== 'win32') return env.HOME ?? homedir();
  const { HOME, HOMEDRIVE, HOMEPATH, USERPROFILE } = env;
  const drive = HOMEDRIVE && HOMEPATH ? HOMEDRIVE + HOMEPATH : undefined;
  const isSet = (path: string | undefined): path is string => path !== undefined && path !== '';
  const withConfig = [HOME, drive, USERPROFILE]
    .filter(isSet)
    .find((path) => exists(win32.join(path, '.kube', 'config')));
  const set = [HOME, USERPROFILE, drive].filter(isSet);
  return withConfig ?? set.find((path) => exists(path)) ?? set[0] ?? homedir();
}
