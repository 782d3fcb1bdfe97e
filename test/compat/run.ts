/** `npm run compat [-- direction…]`: real clients and components against ours, and ours against the real ones. See README.md. */
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCox } from '../conformance/cluster.ts';
import { type Direction, directions } from './directions.ts';
import { Stage } from './stage.ts';
import { type DirectionResult, formatTable, isGood } from './table.ts';
import type { Verdict } from './verdict.ts';

const logs = fileURLToPath(new URL('.cache/logs', import.meta.url));

process.exitCode = await main(process.argv.slice(2));

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !directions.some((direction) => direction.name === name));
  if (unknown !== undefined) {
    const known = directions.map(({ name, what }) => `  ${name.padEnd(18)}${what}\n`).join('');
    process.stderr.write(`unknown direction ${unknown}; there are:\n${known}`);
    return 2;
  }
  buildCox(say);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, abort);
  const results: DirectionResult[] = [];
  for (const direction of directions.filter(({ name }) => names.length === 0 || names.includes(name))) {
    if (stop.signal.aborted) break;
    say(`${direction.name}: ${direction.what} …`);
    const problem = await direction.problem?.();
    if (problem !== undefined) results.push({ direction: direction.name, verdicts: [], skipped: problem });
    else results.push({ direction: direction.name, verdicts: await tried(direction, stop.signal) });
  }
  for (const name of signals) process.off(name, abort);
  process.stdout.write(`\n${formatTable(results)}`);
  say(`whole logs: ${relative(process.cwd(), logs)}`);
  return isGood(results) && !stop.signal.aborted ? 0 : 1;
}

/** Runs a direction. An error outside of its steps counts as a failed step. */
async function tried({ name, run }: Direction, signal: AbortSignal): Promise<readonly Verdict[]> {
  const stage = new Stage(join(logs, name), signal);
  try {
    return await run(stage);
  } catch (error) {
    return [{ step: 'the whole direction', ok: false, why: error instanceof Error ? error.message : String(error) }];
  } finally {
    await stage.close();
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
