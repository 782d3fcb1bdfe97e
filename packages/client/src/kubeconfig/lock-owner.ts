import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who made a lock: enough to find out whether that process is still there. */
export interface LockOwner {
  /** Another for each lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Of the machine's present run, of the processes that see each other, and of the process; absent where the system does not tell. */
  readonly boot?: string;
  readonly namespace?: string;
  readonly started?: string;
}

/** As this process. */
export function ownLock(): LockOwner {
  const { pid } = process;
  return { id: randomBytes(8).toString('hex'), pid, host: hostname(), ...system(), ...startOf(pid) };
}

/** Undefined for what was not written by `ownLock`, as the locks of kubectl, which are empty. */
export function parseLockOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `unknown`: it is on another machine, or in another container. */
export function stateOf(owner: LockOwner): 'alive' | 'dead' | 'unknown' {
  if (owner.host !== hostname()) return 'unknown';
  const { boot, namespace } = system();
  if (owner.boot !== boot) return owner.boot !== undefined && boot !== undefined ? 'dead' : 'unknown';
  if (owner.namespace !== namespace) return 'unknown';
  if (!isThere(owner.pid)) return 'dead';
  // Another process may have got its number.
  return owner.started === startOf(owner.pid).started ? 'alive' : 'dead';
}

function system(): Pick<LockOwner, 'boot' | 'namespace'> {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return { ...(boot !== undefined && { boot }), ...(namespace !== undefined && { namespace }) };
}

/** When a process was started, in the words of the system. */
function startOf(pid: number): Pick<LockOwner, 'started'> {
  // The name of the program, in parentheses, may hold anything.
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
    // There is one that belongs to somebody else.
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
