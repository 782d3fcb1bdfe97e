import { accessSync, constants } from 'node:fs';
import path from 'node:path';

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.join(folder, name)).find(executable);
}

/** The programs that tests use: the environment variable with a path, and the Debian package that contains the program. */
const programs = {
  etcd: { variable: 'ETCD', package: 'etcd-server' },
  etcdctl: { variable: 'ETCDCTL', package: 'etcd-client' },
  openssl: { variable: 'OPENSSL', package: 'openssl' },
} as const;

/**
 * Returns the path of a program: the one in its environment variable, or the one found in PATH. When there is none, it logs a warning and
 * returns undefined; with `COXSWAIN_REQUIRE_ETCD=1` it throws, because tests must not be skipped where they are meant to run.
 */
export function findProgram(name: keyof typeof programs): string | undefined {
  const { variable, package: debianPackage } = programs[name];
  const named = process.env[variable];
  const found = named !== undefined && named !== '' ? named : onPath(name);
  if (found !== undefined && executable(found)) return found;
  const problem = `${name} was not found${found === undefined ? '' : ` at ${found}`}: \`apt-get install ${debianPackage}\`, or name it with ${variable}`;
  if (process.env.COXSWAIN_REQUIRE_ETCD === '1') throw new Error(problem);
  console.warn(`SKIPPED: tests against a real etcd. ${problem}`);
  return undefined;
}
