import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Comparison } from '../comparison.ts';
import { type BenchResult, printResults, recordOf } from './record.ts';

/** The benches that have a peer. */
export const comparable: Readonly<Record<string, () => Promise<Comparison>>> = {
  apiserver: async () => (await import('../apiserver/bench.ts')).apiserverBench(),
  crd: async () => (await import('../crd/bench.ts')).crdBench(),
  controllers: async () => (await import('../controllers/bench.ts')).controllersBench(),
  'controllers-idle': async () => (await import('../controllers/idle-bench.ts')).controllersIdleBench(),
  scheduler: async () => (await import('../scheduler/bench.ts')).schedulerBench(),
  client: async () => (await import('../client/bench.ts')).clientBench(),
  node: async () => (await import('../node/bench.ts')).nodeBench(),
};

/** The environment variables with the paths of the real programs. */
const programs = {
  KUBE_APISERVER: 'kube-apiserver',
  ETCD: 'etcd',
  KUBE_CONTROLLER_MANAGER: 'kube-controller-manager',
  KUBE_SCHEDULER: 'kube-scheduler',
  KUBELET: 'kubelet',
} as const;

// Relative to the compiled file.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const kept = fileURLToPath(new URL('../../compare/latest.json', import.meta.url));

/**
 * Runs the named benches, or all that have a peer, one after the other. Prints one table, and stores it if it has all benches. Reports a
 * bench that fails and continues with the others. Returns the exit status.
 */
export async function compareBench(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !Object.hasOwn(comparable, name));
  if (unknown !== undefined) {
    console.error(`no bench ${unknown} has a peer; the benches with a peer: ${Object.keys(comparable).join(', ')}`);
    return 1;
  }
  if (!findPrograms()) return 1;
  const results: BenchResult[] = [];
  const failures: string[] = [];
  for (const [name, bench] of Object.entries(comparable)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.error(`== ${name}`);
    try {
      results.push({ bench: name, ...(await bench()) });
    } catch (error) {
      failures.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(printResults(results));
  for (const failure of failures) console.error(failure);
  if (names.length > 0 || failures.length > 0) console.error('not stored, because it does not have all benches');
  else keep(results);
  return failures.length > 0 ? 1 : 0;
}

function keep(results: readonly BenchResult[]): void {
  writeFileSync(kept, `${JSON.stringify(recordOf(results, new Date()), null, 2)}\n`);
  console.error(`stored in ${relative(process.cwd(), kept)}`);
}

/** Builds the programs that no environment variable names, as for the conformance tests. */
function findPrograms(): boolean {
  const missing = Object.entries(programs).filter(([variable]) => !process.env[variable]);
  if (missing.length === 0) return true;
  const build = ['--no', 'tsx', 'test/conformance/build.ts', ...missing.map(([, program]) => program)];
  const { status, stdout } = spawnSync('npx', build, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) return false;
  const paths = stdout.trim().split('\n');
  for (const [index, [variable]] of missing.entries()) process.env[variable] = paths[index]!;
  return true;
}
