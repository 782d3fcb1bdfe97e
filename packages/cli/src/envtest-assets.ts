import { access, chmod, constants, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { makeDirectory } from '@coxswain/client/files';
import type { Terminal } from './main.ts';

export interface EnvtestOptions {
  /** The command that runs `cox`: a program and its first arguments. */
  readonly cox: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This process's platform by default. */
  readonly platform?: NodeJS.Platform;
}

/** `cox envtest-assets DIRECTORY`. Returns the exit status. Throws when the assets cannot be written. */
export async function envtestAssets(directory: string, terminal: Terminal, options: EnvtestOptions): Promise<number> {
  // The assets are shell scripts. On Windows envtest looks for programs whose names end with .exe.
  if ((options.platform ?? process.platform) === 'win32')
    throw new Error('envtest needs programs that end with .exe on Windows, which this cannot write; use it in WSL');
  const path = resolve(directory);
  const { kubectl } = await writeEnvtestAssets(path, options);
  terminal.out(`export KUBEBUILDER_ASSETS=${path}\n`);
  if (!kubectl) terminal.err('there is no kubectl on the PATH; tests that call it need one in the directory\n');
  return 0;
}

/** Writes the assets, replacing existing ones. Returns the path of kubectl, if it is on the PATH. */
async function writeEnvtestAssets(
  directory: string,
  { cox, env }: EnvtestOptions,
): Promise<{ readonly kubectl: string | undefined }> {
  await makeDirectory(directory);
  await writeProgram(join(directory, 'kube-apiserver'), [...cox, 'envtest-apiserver']);
  await writeProgram(join(directory, 'etcd'), [...cox, 'envtest-etcd']);
  const kubectl = await findOnPath('kubectl', env.PATH ?? '', directory);
  if (kubectl) {
    await rm(join(directory, 'kubectl'), { force: true });
    await symlink(kubectl, join(directory, 'kubectl'));
  }
  return { kubectl };
}

async function writeProgram(path: string, command: readonly string[]): Promise<void> {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  await rm(path, { force: true });
  await writeFile(path, `#!/bin/sh\nexec ${quoted} "$@"\n`);
  await chmod(path, 0o755);
}

async function findOnPath(program: string, path: string, except: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter).filter((each) => each !== '' && resolve(each) !== except)) {
    const candidate = join(resolve(directory), program);
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}
