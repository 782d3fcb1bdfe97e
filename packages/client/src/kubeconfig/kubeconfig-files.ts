import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { homeDir as homeDirOf } from './home-dir.ts';

/** Where to find kubeconfig files. */
export interface KubeConfigLocation {
  /** Only this file, which must exist. Empty is the same as undefined. */
  readonly path?: string | undefined;
  /** The environment, whose `KUBECONFIG` is used without a `path`. Default: process.env. */
  readonly env?: Environment;
  /** Without both, the file is `.kube/config` below this directory. Default: the user's home directory. */
  readonly homeDir?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the files in order of precedence. */
export function kubeConfigFiles({ path, env = process.env, homeDir }: KubeConfigLocation): string[] {
  if (path) return [path];
  // Differs from client-go: an empty name is ignored. There, writing would create a lock named `.lock`.
  const named = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return named.length > 0 ? [...new Set(named)] : [join(homeDir ?? homeDirOf(env), '.kube', 'config')];
}

/** The file for new entries: the first that exists, otherwise the last. */
export async function defaultKubeConfigFile(location: KubeConfigLocation): Promise<string> {
  const files = kubeConfigFiles(location);
  for (const file of files) if (await exists(file)) return file;
  return files.at(-1)!;
}

export async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
