import type { Profiler } from 'node:inspector';
import { setTimeout as delay } from 'node:timers/promises';
import { openInspectorSession } from './inspector-session.ts';
import { PprofProfile } from './pprof-profile.ts';
import { programName } from './program-name.ts';

/** The interval of Go's profiler, 100 samples per second. A profile of minutes stays small. */
const intervalUs = 10_000;
const nanosPerSample = intervalUs * 1000;

/** V8 samples idle time as well. It is dropped, since Go does not sample it. */
const notRunning: ReadonlySet<string> = new Set(['(root)', '(idle)']);

/** Records CPU profiles of this thread. Only one at a time, because V8 samples the thread for all profiles together. */
class CpuProfiler {
  #isRecording = false;

  /** Samples for `ms` milliseconds or until the signal is aborted. Throws an Error while another profile is being recorded. */
  async record(ms: number, signal: AbortSignal): Promise<PprofProfile> {
    if (this.#isRecording) throw new Error('cpu profiling already in use');
    this.#isRecording = true;
    try {
      const timeMs = Date.now();
      return pprofOf(await record(ms, signal), timeMs);
    } finally {
      this.#isRecording = false;
    }
  }
}

export const cpuProfiler = new CpuProfiler();

async function record(ms: number, signal: AbortSignal): Promise<Profiler.Profile> {
  const session = await openInspectorSession();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: intervalUs });
    await session.post('Profiler.start');
    await delay(ms, undefined, { signal, ref: false }).catch(() => {});
    return (await session.post('Profiler.stop')).profile;
  } finally {
    session.disconnect();
  }
}

function pprofOf({ nodes, startTime, endTime }: Profiler.Profile, timeMs: number): PprofProfile {
  const profile = new PprofProfile({
    values: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    period: { type: 'cpu', unit: 'nanoseconds', every: nanosPerSample },
    program: programName(),
    timeMs,
    durationMs: (endTime - startTime) / 1000,
  });
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  for (const node of nodes) {
    const { hitCount = 0, callFrame } = node;
    if (hitCount === 0 || notRunning.has(callFrame.functionName)) continue;
    const stack: number[] = [];
    // The outermost frame is V8's `(root)`, which is not a function.
    for (let at = node, up = parents.get(at.id); up; at = up, up = parents.get(at.id))
      stack.push(profile.function(at.callFrame));
    profile.add(stack, [hitCount, hitCount * nanosPerSample]);
  }
  return profile;
}
