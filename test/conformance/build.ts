/**
 * Builds the programs that the tests use, those of Kubernetes from this folder's Go module, into `.cache/bin`:
 * `tsx test/conformance/build.ts [name...]`, or all of them without a name.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The Kubernetes release of the tests; `go.mod` has the same. */
export const kubernetesVersion = 'v1.36.4';

const folder = fileURLToPath(new URL('.', import.meta.url));
/** The folder of the built programs. */
export const bin = join(folder, '.cache', 'bin');

/** How a program is built. */
interface Recipe {
  readonly package: string;
  /** The folder of its Go module, if not this one. */
  readonly module?: string;
  readonly tags?: string;
  /**
   * `cgo`: without shared libraries, but with packages in C, so that Go's cache has what it compiled for the others.
   * `pure`: without anything in C.
   */
  readonly static?: 'cgo' | 'pure';
}

const containerd = { module: 'nodes/containerd', tags: 'no_btrfs,no_devmapper,no_zfs' };

const recipes = {
  'e2e.test': { package: 'k8s.io/kubernetes/test/e2e' },
  ginkgo: { package: 'github.com/onsi/ginkgo/v2/ginkgo' },
  kubectl: { package: 'k8s.io/kubernetes/cmd/kubectl' },
  'kube-apiserver': { package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  'kube-scheduler': { package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  etcd: { package: 'go.etcd.io/etcd/server/v3', static: 'pure' },
  kubelet: { package: 'k8s.io/kubernetes/cmd/kubelet' },
  'kube-proxy': { package: 'k8s.io/kubernetes/cmd/kube-proxy' },
  agnhost: { package: 'k8s.io/kubernetes/test/images/agnhost', static: 'cgo' },
  nonewprivs: { package: 'k8s.io/kubernetes/test/images/nonewprivs', static: 'pure' },
  'sample-apiserver': { package: 'k8s.io/sample-apiserver', static: 'cgo' },
  pause: { package: './pause', module: 'images', static: 'pure' },
  'busybox-sh': { package: './sh', module: 'images', static: 'pure' },
  coredns: { package: '.', module: 'nodes/coredns', static: 'cgo' },
  containerd: { package: 'github.com/containerd/containerd/v2/cmd/containerd', ...containerd },
  'containerd-shim-runc-v2': {
    package: 'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
    static: 'pure',
    ...containerd,
  },
  ctr: { package: 'github.com/containerd/containerd/v2/cmd/ctr', ...containerd },
} as const satisfies Record<string, Recipe>;

export type ProgramName = keyof typeof recipes;

const programNames = Object.keys(recipes) as readonly ProgramName[];

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
      say(`building ${name} from ${sourceOf(name)} (minutes, the first time)`);
      // The file of a running program cannot be written to, only replaced.
      await go(recipes[name], [...buildArguments(name), '-o', `${path}.new`, recipes[name].package]);
      renameSync(`${path}.new`, path);
      writeFileSync(stampFile, stamp);
    }
    paths[name] = path;
  }
  return paths as Record<Name, string>;
}

/** Returns a text that changes when a built program does. Throws when it was not built. */
export function stampOfBuilt(name: ProgramName): string {
  return readFileSync(join(bin, `${name}.stamp`), 'utf8');
}

/** The folder of a Go module in Go's cache, such as that of `k8s.io/kubernetes`, with its sources and data files. */
export async function moduleFolder(module: string): Promise<string> {
  const args = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', module];
  const { stdout } = await promisify(execFile)('go', args, { cwd: folder });
  return stdout.trim();
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

function sourceOf(name: ProgramName): string {
  const { package: path, module }: Recipe = recipes[name];
  return path.startsWith('.') ? `test/conformance/${join(module ?? '.', path)}` : path;
}

function buildArguments(name: ProgramName): string[] {
  const { tags, static: linking }: Recipe = recipes[name];
  const verb = name === 'e2e.test' ? ['test', '-c', '-vet=off'] : ['build'];
  const flags = [linkerFlags(), ...(linking === 'cgo' ? ['-linkmode=external -extldflags=-static'] : [])].join(' ');
  return [...verb, '-mod=readonly', '-buildvcs=false', ...(tags ? [`-tags=${tags}`] : []), '-ldflags', flags];
}

function environmentOf(recipe: Recipe): NodeJS.ProcessEnv {
  return recipe.static === 'pure' ? { ...process.env, CGO_ENABLED: '0' } : process.env;
}

/** The folder of a recipe's Go module. */
function moduleOf({ module = '.' }: Recipe): string {
  return join(folder, module);
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
  const recipe: Recipe = recipes[name];
  const hash = createHash('sha256')
    .update(goVersion)
    .update([...buildArguments(name), recipe.package, recipe.static ?? ''].join('\n'));
  for (const path of sourcesOf(recipe)) hash.update(readFileSync(path));
  return hash.digest('hex');
}

/** The files of this repository that decide about a program: of its module, and of its package if that is here too. */
function sourcesOf(recipe: Recipe): string[] {
  const module = moduleOf(recipe);
  const sums = ['go.mod', 'go.sum'].map((file) => join(module, file)).filter((path) => existsSync(path));
  if (!recipe.package.startsWith('.')) return sums;
  const own = join(module, recipe.package);
  const files = readdirSync(own).filter((file) => file.endsWith('.go'));
  return [...sums, ...files.sort().map((file) => join(own, file))];
}

async function go(recipe: Recipe, args: readonly string[]): Promise<void> {
  const child = spawn('go', args, {
    cwd: moduleOf(recipe),
    env: environmentOf(recipe),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`go ${args[0]} of ${args.at(-1)} failed; its output is above`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !Object.hasOwn(recipes, name));
  if (unknown !== undefined) throw new Error(`unknown program ${unknown}; there are ${programNames.join(', ')}`);
  const paths = await buildUpstream(names.length > 0 ? (names as ProgramName[]) : programNames);
  for (const path of Object.values(paths)) process.stdout.write(`${path}\n`);
}
