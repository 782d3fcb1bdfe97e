import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What people write at the top of a test, and what follows in later ones. */
const program = `
  const times = [performance.now()];
  const { startCluster } = await import('@coxswain/testkit');
  times.push(performance.now());
  for (let i = 0; i < 10; i++) {
    const started = performance.now();
    const cluster = await startCluster();
    times.push(performance.now() - started);
    await cluster.stop();
  }
  const [began, imported, ...starts] = times;
  console.log(JSON.stringify([imported - began, ...starts]));`;

const processes = 7;

/** How long a test waits for its cluster: in a process that has just begun, and in one that has had clusters before. */
export async function testkitBench(): Promise<string> {
  const [imports, first, later]: number[][] = [[], [], []];
  for (let i = 0; i < processes; i++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(new URL('../../../packages/testkit', import.meta.url)),
    });
    // The second one still runs much for the first time.
    const [imported, cold, , ...warm] = JSON.parse(stdout) as number[];
    imports!.push(imported!);
    first!.push(cold!);
    later!.push(...warm);
  }
  return [
    `import: ${medianOf(imports!)}`,
    `first cluster of a process, until a pod would run: ${medianOf(first!)}`,
    `third and further ones: ${medianOf(later!)}\n`,
  ].join('\n');
}

function medianOf(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const [median, slowest] = [sorted[sorted.length >> 1]!, sorted.at(-1)!];
  return `${median.toFixed(0)} ms (median of ${times.length}, slowest ${slowest.toFixed(0)} ms)`;
}
