import type { HeapProfiler } from 'node:inspector';
import type { Session } from 'node:inspector/promises';
import type { CallFrame } from './call-frame.ts';
import { openInspectorSession } from './inspector-session.ts';
import { PprofProfile } from './pprof-profile.ts';
import { programName } from './program-name.ts';

/** Go's programs sample so as well: one allocation for each 512 KiB. */
const intervalBytes = 512 * 1024;

/** What functions that were called in this order allocated of what is still alive, by an estimate. */
export interface HeapStack {
  /** The innermost call first; none for what V8 itself allocated. */
  readonly frames: readonly CallFrame[];
  readonly bytes: number;
}

/**
 * Knows which functions allocated what is on the heap, by samples, from when it was started. There is one sampling in a process: it goes on
 * until the process ends, and costs next to nothing.
 */
class HeapSampler {
  #sampling: Promise<Session> | undefined;

  /** Samples from now on. Again: nothing happens. Rejects where Node was built without its inspector. */
  start(): Promise<Session> {
    this.#sampling ??= startSampling();
    return this.#sampling;
  }

  /** What is alive now. V8 collects all garbage before it tells, which holds up everything else. */
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
  // The outermost is V8's `(root)`, which is no function.
  if (head.selfSize > 0) found.push({ frames: [], bytes: head.selfSize });
  for (const child of head.children) visit(child, []);
  return found;
}

const keyOf = ({ frames }: HeapStack): string =>
  frames.map((it) => `${it.functionName} ${it.url}:${it.lineNumber}:${it.columnNumber}`).join('\n');

/** What became of the heap between two times: functions may hold less than before. */
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
  /** Of a difference. */
  readonly durationMs?: number;
}
