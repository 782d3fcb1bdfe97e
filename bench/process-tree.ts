import { readdirSync, readFileSync } from 'node:fs';

const clockTicksPerSecond = 100;

/** What a process and those that it has started use, including those that have ended. */
export interface TreeUsage {
  readonly cpuMs: number;
  readonly rssMiB: number;
}

/** Reads `/proc`. Throws when the process does not run. */
export function usageOf(pid: number): TreeUsage {
  const children = childrenByParent();
  let [cpuMs, rssMiB] = [0, 0];
  for (const pids = [pid]; pids.length > 0; ) {
    const next = pids.pop()!;
    // A child may have ended since it was listed; its parent then has its time.
    const usage = next === pid ? usageOfOne(next) : orNothing(() => usageOfOne(next));
    cpuMs += usage.cpuMs;
    rssMiB += usage.rssMiB;
    pids.push(...(children.get(next) ?? []));
  }
  return { cpuMs, rssMiB };
}

function usageOfOne(pid: number): TreeUsage {
  const fields = statOf(pid);
  // Its own user and system time, and that of children that it has waited for.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { cpuMs: (ticks * 1000) / clockTicksPerSecond, rssMiB: Number(line?.[1] ?? 0) / 1024 };
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(orUndefined(() => statOf(Number(name)))?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** The fields of `/proc/PID/stat` after the name: the state is the first, the parent the second. */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(') ') + 2).split(' ');
};

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const orNothing = (read: () => TreeUsage): TreeUsage => orUndefined(read) ?? { cpuMs: 0, rssMiB: 0 };
