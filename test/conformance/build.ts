/**
 * Builds the programs of Kubernetes that the tests use from this folder's Go module into `.cache/bin`:
 * `tsx test/conformance/build.ts [name...]`, or all of them without a name.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Kubernetes release of the tests; `go.mod` has the same. */
export const kubernetesVersion = 'v1.36.4';

const folder = fileURLToPath(new URL('.', import.meta.url));
const bin = join(folder, '.cache', 'bin');

const packages = {
  'e2e.test': 'k8s.io/kubernetes/test/e2e',
  ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  etcd: 'go.etcd.io/etcd/server/v3',
} as const;

export type ProgramName = keyof typeof packages;

const programNames = Object.keys(packages) as readonly ProgramName[];

/**
 * Returns the paths of the programs, built from the current `go.mod`. Programs that are up to date are not rebuilt.
 * Throws, with advice, when Go is missing or a build fails.
 */
export async function buildUpstream<Name extends ProgramName>(
  names: readonly Name[],
  say: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Promise<Record<Name, string>> {
  const goVersion = findGo();
  mkdirSync(bin, { recursive: true });
  const paths: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const path = join(bin, name);
    const stampFile = `${path}.stamp`;
    const stamp = stampOf(name, goVersion);
    if (!existsSync(path) || !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
      say(`building ${name} from ${packages[name]} (minutes, the first time)`);
      // The file of a running program cannot be written to, only replaced.
      await go([...buildArguments(name), '-o', `${path}.new`, packages[name]]);
      renameSync(`${path}.new`, path);
      writeFileSync(stampFile, stamp);
    }
    paths[name] = path;
  }
  return paths as Record<Name, string>;
}

function findGo(): string {
  const { stdout, status } = spawnSync('go', ['env', 'GOVERSION'], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  const wanted = /^go (.+)$/m.exec(readFileSync(join(folder, 'go.mod'), 'utf8'))?.[1];
  throw new Error(
    `Kubernetes' own programs are built with Go, and \`go\` does not run here.\n` +
      `Install Go ${wanted} or newer (https://go.dev/dl), put it into PATH and try again.\n` +
      'Nothing else in this repository needs it.',
  );
}

function buildArguments(name: ProgramName): string[] {
  const verb = name === 'e2e.test' ? ['test', '-c'] : ['build'];
  return [...verb, '-mod=readonly', '-buildvcs=false', '-ldflags', linkerFlags()];
}

/** Tests and peers refuse a program without a version. */
function linkerFlags(): string {
  const [major, minor] = kubernetesVersion.slice(1).split('.');
  const facts = {
    gitVersion: kubernetesVersion,
    gitMajor: major,
    gitMinor: minor,
    // A Go module has no commit id.
    gitCommit: '0'.repeat(40),
    gitTreeState: 'clean',
  };
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((target) =>
    Object.entries(facts).map(([name, value]) => `-X ${target}.${name}=${value}`),
  );
  return ['-s', '-w', ...stamps].join(' ');
}

function stampOf(name: ProgramName, goVersion: string): string {
  const hash = createHash('sha256')
    .update(goVersion)
    .update([...buildArguments(name), packages[name]].join('\n'));
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

async function go(args: readonly string[]): Promise<void> {
  const child = spawn('go', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`go ${args[0]} of ${args.at(-1)} failed; its output is above`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !Object.hasOwn(packages, name));
  if (unknown !== undefined) throw new Error(`unknown program ${unknown}; there are ${programNames.join(', ')}`);
  const paths = await buildUpstream(names.length > 0 ? (names as ProgramName[]) : programNames);
  for (const path of Object.values(paths)) process.stdout.write(`${path}\n`);
}
