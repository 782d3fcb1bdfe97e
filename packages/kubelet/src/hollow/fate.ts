import type { Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { durationToMs } from '@coxswain/apimachinery/time';
import { allContainers } from '../pods/all-containers.ts';

/** The prefix of the annotations that script the behaviour of a pod's containers. */
export const FATE_PREFIX = 'hollow.coxswain.dev/';

/** When a probe of a container passes, by the time since the container was started. */
export type ProbeScript =
  | { readonly passes: 'always' | 'never' }
  | { readonly passes: 'after' | 'until' | 'flapping'; readonly ms: number };

type PullScript =
  | { readonly takesMs: number }
  /** The pull fails until this time after the pod's sandbox was created. Undefined if it always fails. */
  | { readonly failsForMs: number | undefined };

/** The scripted behaviour of one container. Fields without an annotation are undefined. */
export interface Fate {
  readonly runForMs?: number;
  readonly exitCode?: number;
  readonly exitReason?: string;
  readonly exitMessage?: string;
  /** How many runs end as scripted. Later runs behave as if no end was scripted. */
  readonly exitTimes?: number;
  readonly startDelayMs?: number;
  /** How long it keeps running after the stop signal. Infinity if it runs until it is killed. */
  readonly stopDelayMs?: number;
  readonly stopExitCode?: number;
  readonly imagePull?: PullScript;
  readonly readiness?: ProbeScript;
  readonly liveness?: ProbeScript;
  readonly startup?: ProbeScript;
  readonly postStart?: 'fail';
  readonly preStop?: 'fail' | { readonly takesMs: number };
  readonly logs?: string;
  readonly cpuNanoCores?: number;
  readonly memoryBytes?: number;
}

/** The parser of each option. It throws if the value is invalid. */
const readers: Readonly<Record<string, (text: string) => Fate>> = {
  'run-for': (text) => ({ runForMs: duration(text) }),
  'exit-code': (text) => ({ exitCode: integer(text, 255) }),
  'exit-reason': (text) => ({ exitReason: text }),
  'exit-message': (text) => ({ exitMessage: text }),
  'exit-times': (text) => ({ exitTimes: integer(text, 1_000_000) }),
  'start-delay': (text) => ({ startDelayMs: duration(text) }),
  'stop-delay': (text) => ({ stopDelayMs: text === 'forever' ? Number.POSITIVE_INFINITY : duration(text) }),
  'stop-exit-code': (text) => ({ stopExitCode: integer(text, 255) }),
  'image-pull': (text) => ({ imagePull: pullScript(text) }),
  readiness: (text) => ({ readiness: probeScript(text) }),
  liveness: (text) => ({ liveness: probeScript(text) }),
  startup: (text) => ({ startup: probeScript(text) }),
  'post-start': (text) => ({ postStart: oneOf(text, ['fail']) }),
  'pre-stop': (text) => ({ preStop: text === 'fail' ? text : { takesMs: duration(text) } }),
  logs: (text) => ({ logs: text }),
  cpu: (text) => ({ cpuNanoCores: Quantity.parse(text).milliValue() * 1e6 }),
  memory: (text) => ({ memoryBytes: Quantity.parse(text).value() }),
};

const nothing: Fate = {};

/** Returns the scripted behaviour of a container. Annotations for the container alone take precedence over those for all. */
export function fateOf(annotations: Readonly<Record<string, string>> | undefined, container: string): Fate {
  if (!annotations || !Object.keys(annotations).some((key) => key.startsWith(FATE_PREFIX))) return nothing;
  let fate = nothing;
  for (const name of [...Object.keys(readers), ...Object.keys(readers).map((option) => `${container}.${option}`)]) {
    const text = annotations[FATE_PREFIX + name];
    if (text === undefined) continue;
    try {
      fate = { ...fate, ...readers[name.slice(name.lastIndexOf('.') + 1)]!(text) };
    } catch {
      // `fateProblems` reports it. The container behaves as without the annotation.
    }
  }
  return fate;
}

/** Returns a message for users for each invalid annotation of the pod. */
export function fateProblems(pod: Pod): string[] {
  const problems: string[] = [];
  const names = new Set(allContainers(pod).map(({ name }) => name));
  for (const [key, text] of Object.entries(pod.metadata.annotations ?? {})) {
    if (!key.startsWith(FATE_PREFIX)) continue;
    const name = key.slice(FATE_PREFIX.length);
    const dot = name.lastIndexOf('.');
    const option = name.slice(dot + 1);
    if (dot >= 0 && !names.has(name.slice(0, dot))) problems.push(`${key}: the pod has no such container`);
    else if (!Object.hasOwn(readers, option)) {
      problems.push(`${key}: there is no such option; known are ${Object.keys(readers).join(', ')}`);
    } else {
      try {
        readers[option]!(text);
      } catch (error) {
        problems.push(`${key}: ${JSON.stringify(text)} is not valid: ${error instanceof Error ? error.message : ''}`);
      }
    }
  }
  return problems;
}

/** Returns whether the probe passes at a time after the container was started, and how long that result stays the same. */
export function probeAt(script: ProbeScript | undefined, ageMs: number): { passes: boolean; holdsForMs: number } {
  if (!script || !('ms' in script)) {
    return { passes: script?.passes !== 'never', holdsForMs: Number.POSITIVE_INFINITY };
  }
  const { passes, ms } = script;
  if (passes === 'flapping') {
    const turn = Math.floor(ageMs / ms);
    return { passes: turn % 2 === 0, holdsForMs: (turn + 1) * ms - ageMs };
  }
  const isPast = ageMs >= ms;
  return { passes: isPast === (passes === 'after'), holdsForMs: isPast ? Number.POSITIVE_INFINITY : ms - ageMs };
}

function duration(text: string): number {
  const ms = durationToMs(text);
  if (ms < 0) throw new Error('it must not be negative');
  return ms;
}

function integer(text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most) throw new Error(`it must be a whole number from 0 to ${most}`);
  return value;
}

function oneOf<const T extends string>(text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`it must be ${values.join(' or ')}`);
  return found;
}

/** Parses `always`, `never`, `after 10s` or just `10s`, `until 10s`, `flapping 10s`. */
function probeScript(text: string): ProbeScript {
  if (text === 'always' || text === 'never') return { passes: text };
  const [, passes = 'after', time = ''] = /^(?:(after|until|flapping)\s+)?(\S+)$/.exec(text) ?? [];
  const ms = duration(time);
  if (passes === 'flapping' && ms < 1) throw new Error('the time must be at least 1ms');
  return { passes: oneOf(passes, ['after', 'until', 'flapping']), ms };
}

/** Parses `error`, `error 30s`, or the duration of the pull. */
function pullScript(text: string): PullScript {
  const error = /^error(?:\s+(\S+))?$/.exec(text);
  if (!error) return { takesMs: duration(text) };
  return { failsForMs: error[1] === undefined ? undefined : duration(error[1]) };
}
