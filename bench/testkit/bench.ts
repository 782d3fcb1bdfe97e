import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A typical test: the import and the first cluster, then later clusters. */
const program = `
  const began = performance.now();
  const { startCluster } = await import('@coxswain/testkit');
  const imported = performance.now() - began;
  const starts = [];
  const pods = [];
  for (let i = 0; i < 10; i++) {
    const started = performance.now();
    const cluster = await startCluster();
    starts.push(performance.now() - started);
    const spec = { containers: [{ name: 'web', image: 'web' }] };
    await cluster.clients.core.v1.pods('default').create({ metadata: { name: 'web', labels: { app: 'web' } }, spec });
    await cluster.untilPodsRunning('app=web');
    pods.push(performance.now() - started);
    await cluster.stop();
  }
  console.log(JSON.stringify({ imported, starts, pods }));`;

const processes = 7;

/** Measures how long a test waits for its cluster: in a new process, and in one that has had clusters before. */
export async function testkitBench(): Promise<string> {
  const imports: number[] = [];
  const [first, firstPod, later, laterPod]: number[][] = [[], [], [], []];
  for (let i = 0; i < processes; i++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(new URL('../../../packages/testkit', import.meta.url)),
    });
    const { imported, starts, pods } = JSON.parse(stdout) as { imported: number; starts: number[]; pods: number[] };
    imports.push(imported);
    first!.push(starts[0]!);
    firstPod!.push(pods[0]!);
    // The second cluster still runs much code for the first time, so it does not count.
    later!.push(...starts.slice(2));
    laterPod!.push(...pods.slice(2));
  }
  return [
    `import: ${medianOf(imports)}`,
    `first cluster of a process, until a pod would run: ${medianOf(first!)}`,
    `until one that is created then runs: ${medianOf(firstPod!)}`,
    `third and further ones: ${medianOf(later!)}`,
    `until one that is created then runs: ${medianOf(laterPod!)}\n`,
  ].join('\n');
}

function medianOf(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const [median, slowest] = [sorted[sorted.length >> 1]!, sorted.at(-1)!];
  return `${median.toFixed(0)} ms (median of ${times.length}, slowest ${slowest.toFixed(0)} ms)`;
}
