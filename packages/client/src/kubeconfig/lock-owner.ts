import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that created a lock, with enough data to find out whether it still exists. */
export interface LockOwner {
  /** Unique for each lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /**
   * Identifies the machine's boot, the PID namespace, and the start time of the process. Absent where the system does
   * not provide them.
   */
  readonly boot?: string;
  readonly namespace?: string;
  readonly started?: string;
}

/** Returns an owner record for this process. */
export function ownLock(): LockOwner {
  const { pid } = process;
  return { id: randomBytes(8).toString('hex'), pid, host: hostname(), ...system(), ...startOf(pid) };
}

/** Returns undefined for text that `ownLock` did not write, such as the empty locks of kubectl. */
export function parseLockOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the owner still exists. `unknown` when it is on another machine or in another container. */
export function stateOf(owner: LockOwner): 'alive' | 'dead' | 'unknown' {
  if (owner.host !== hostname()) return 'unknown';
  const { boot, namespace } = system();
  if (owner.boot !== boot) return owner.boot !== undefined && boot !== undefined ? 'dead' : 'unknown';
  if (owner.namespace !== namespace) return 'unknown';
  if (!isThere(owner.pid)) return 'dead';
  // Another process may have the same pid now.
  return owner.started === startOf(owner.pid).started ? 'alive' : 'dead';
}

function system(): Pick<LockOwner, 'boot' | 'namespace'> {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return { ...(boot !== undefined && { boot }), ...(namespace !== undefined && { namespace }) };
}

/** The start time of a process, in the system's format. */
function startOf(pid: number): Pick<LockOwner, 'started'> {
  // The program's name, in parentheses, may contain spaces and parentheses.
  const fields = attempt(() =>
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' '),
  );
  const started = fields?.[19];
  return started === undefined ? {} : { started };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is LockOwner {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    Number.isSafeInteger(value.pid) &&
    value.pid > 0 &&
    'host' in value &&
    typeof value.host === 'string'
  );
}
