import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProcessGroup } from './process-group.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The program `cox`. */
export const cox = join(root, 'packages/cli/bin/cox.js');
/** The bundle of `cox`; the last file that a build writes. */
const bundle = join(root, 'packages/cli/dist/bundle/cox.cjs');

const stopGraceMs = 10_000;

export interface Cluster {
  readonly kubeconfig: string;
  /** Aborted when the cluster has ended, with its last output. */
  readonly lost: AbortSignal;
  stop(): Promise<void>;
}

/** Builds `cox` if there is no build or a source is newer. Throws when the build fails. */
export function buildCox(say: (line: string) => void): void {
  if (existsSync(bundle) && newestSourceMs() <= statSync(bundle).mtimeMs) return;
  say('building cox');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('the build of cox failed; its output is above');
}

function newestSourceMs(): number {
  const packages = join(root, 'packages');
  const sources = readdirSync(packages)
    .map((name) => join(packages, name, 'src'))
    .filter((folder) => existsSync(folder));
  return sources.reduce((newest, folder) => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const times = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => statSync(join(folder, file)).mtimeMs);
    return Math.max(newest, ...times);
  }, 0);
}

/** Starts `cox up` like a user, with two hollow nodes, on a free port. The kubeconfig is written to the folder. */
export async function startCluster(folder: string, logs: string): Promise<Cluster> {
  const kubeconfig = join(folder, 'kubeconfig');
  const log = join(logs, 'cluster.log');
  // In its own folder, independent of any cluster that runs already.
  const args = [
    'up',
    '--memory',
    '--data-dir',
    join(folder, 'data'),
    '--runtime',
    'hollow',
    '--nodes',
    '2',
    '--port',
    '0',
  ];
  const lost = new AbortController();
  let said = '';
  let onReady = () => {};
  const group = new ProcessGroup(cox, [...args, '--kubeconfig', kubeconfig], {
    log,
    onOutput: (text) => {
      if (said.length > 10_000) return;
      said += text;
      if (said.includes('cluster is ready')) onReady();
    },
  });
  group.ended.then(
    (status) => lost.abort(new Error(`cox up ended with ${status}:\n${readFileSync(log, 'utf8').slice(-2000)}`)),
    (error) => lost.abort(error),
  );
  await new Promise<void>((resolve, reject) => {
    onReady = resolve;
    lost.signal.addEventListener('abort', () => reject(lost.signal.reason));
  });
  return { kubeconfig, lost: lost.signal, stop: () => group.stop(stopGraceMs) };
}
