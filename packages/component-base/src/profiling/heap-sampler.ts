import type { HeapProfiler } from 'node:inspector';
import type { Session } from 'node:inspector/promises';
import type { CallFrame } from './call-frame.ts';
import { openInspectorSession } from './inspector-session.ts';
import { PprofProfile } from './pprof-profile.ts';
import { programName } from './program-name.ts';

/** The sampling rate of Go's programs: one allocation for each 512 KiB. */
const intervalBytes = 512 * 1024;

/** An estimate of the live bytes that were allocated with this call stack. */
export interface HeapStack {
  /** The innermost call first; empty for allocations of V8 itself. */
  readonly frames: readonly CallFrame[];
  readonly bytes: number;
}

/**
 * Samples which functions allocate memory that is still alive. A process has only one sampling: it lasts until the process ends, and costs
 * next to nothing.
 */
class HeapSampler {
  #sampling: Promise<Session> | undefined;

  /** Starts sampling; further calls have no effect. Rejects when Node was built without its inspector. */
  start(): Promise<Session> {
    this.#sampling ??= startSampling();
    return this.#sampling;
  }

  /** Returns the live memory by call stack. V8 collects all garbage first, which blocks the event loop. */
  async stacks(): Promise<HeapStack[]> {
    const session = await this.start();
    const { profile } = await session.post('HeapProfiler.getSamplingProfile');
    return stacksOf(profile);
  }
}

export const heapSampler = new HeapSampler();

async function startSampling(): Promise<Session> {
  const session = await openInspectorSession();
  await session.post('HeapProfiler.startSampling', { samplingInterval: intervalBytes });
  return session;
}

function stacksOf({ head }: HeapProfiler.SamplingHeapProfile): HeapStack[] {
  const found: HeapStack[] = [];
  const visit = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode, callers: CallFrame[]) => {
    const frames = [callFrame, ...callers];
    if (selfSize > 0) found.push({ frames, bytes: selfSize });
    for (const child of children) visit(child, frames);
  };
  // The outermost frame is V8's `(root)`, which is not a function.
  if (head.selfSize > 0) found.push({ frames: [], bytes: head.selfSize });
  for (const child of head.children) visit(child, []);
  return found;
}

const keyOf = ({ frames }: HeapStack): string =>
  frames.map((it) => `${it.functionName} ${it.url}:${it.lineNumber}:${it.columnNumber}`).join('\n');

/** Returns the difference of two heap samples. Bytes may be negative. */
export function heapDifference(before: readonly HeapStack[], after: readonly HeapStack[]): HeapStack[] {
  const byStack = new Map(after.map((stack) => [keyOf(stack), stack]));
  for (const { frames, bytes } of before) {
    const key = keyOf({ frames, bytes });
    byStack.set(key, { frames, bytes: (byStack.get(key)?.bytes ?? 0) - bytes });
  }
  return [...byStack.values()].filter(({ bytes }) => bytes !== 0);
}

export function heapProfile(stacks: readonly HeapStack[], { timeMs, durationMs }: HeapProfileTimes): PprofProfile {
  const profile = new PprofProfile({
    values: [{ type: 'inuse_space', unit: 'bytes' }],
    period: { type: 'space', unit: 'bytes', every: intervalBytes },
    program: programName(),
    timeMs,
    ...(durationMs !== undefined && { durationMs }),
  });
  for (const { frames, bytes } of stacks)
    profile.add(
      frames.map((frame) => profile.function(frame)),
      [Math.round(bytes)],
    );
  return profile;
}

export interface HeapProfileTimes {
  readonly timeMs: number;
  /** Only for a difference of two samples. */
  readonly durationMs?: number;
}
