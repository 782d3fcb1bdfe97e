import { readFile } from 'node:fs/promises';

/** A process, told apart from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in ticks of this boot, and the boot. */
  readonly start: string;
}

let bootId: Promise<string> | undefined;

/** Identifies a process that runs; undefined if there is none with this number, or it has ended and waits for its parent. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  bootId ??= readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program may contain anything, so the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const start = fields[19];
  if (start === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, start: `${(await bootId).trim()} ${start}` };
}

export async function isRunning({ pid, start }: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(pid))?.start === start;
}

/** Sends a signal to a process if it is still that one. */
export async function signalProcess(process_: ProcessIdentity, signal: number): Promise<void> {
  if (!(await isRunning(process_))) return;
  try {
    process.kill(process_.pid, signal);
  } catch {
    // It has ended.
  }
}
