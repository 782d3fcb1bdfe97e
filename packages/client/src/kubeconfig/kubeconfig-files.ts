import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { homeDir as homeDirOf } from './home-dir.ts';

/** Where kubeconfigs are looked for. */
export interface KubeConfigLocation {
  /** Exactly this file, which must be there. Empty is as good as none. */
  readonly path?: string | undefined;
  /** Without a path, its `KUBECONFIG` names the files. The process's own by default. */
  readonly env?: Environment;
  /** Without both, the file is `.kube/config` below it. The user's own by default. */
  readonly homeDir?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The files in the order they count. */
export function kubeConfigFiles({ path, env = process.env, homeDir }: KubeConfigLocation): string[] {
  if (path) return [path];
  // Differs from client-go: no name at all is no file; there, writing would lock one that is named `.lock`.
  const named = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return named.length > 0 ? [...new Set(named)] : [join(homeDir ?? homeDirOf(env), '.kube', 'config')];
}

/** The file that new entries go into: the first that is there, or the last. */
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
