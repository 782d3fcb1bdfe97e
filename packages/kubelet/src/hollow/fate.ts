import type { Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { durationToMs } from '@coxswain/apimachinery/time';

/** Annotations that script what becomes of a pod's containers begin so. */
export const FATE_PREFIX = 'hollow.coxswain.dev/';

/** When a probe of a container passes, by the time since it was started. */
export type ProbeScript =
  | { readonly passes: 'always' | 'never' }
  | { readonly passes: 'after' | 'until' | 'flapping'; readonly ms: number };

type PullScript =
  | { readonly takesMs: number }
  /** It fails until so long after the pod was made; without a time, for ever. */
  | { readonly failsForMs: number | undefined };

/** What is to become of one container; what is not said is undefined. */
export interface Fate {
  readonly runForMs?: number;
  readonly exitCode?: number;
  readonly exitReason?: string;
  readonly exitMessage?: string;
  /** As many of its runs end as is said here; later ones as if nothing was. */
  readonly exitTimes?: number;
  readonly startDelayMs?: number;
  /** How long it goes on after it was asked to stop; Infinity until it is killed. */
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

/** How each annotation is read. A reader throws what is wrong with a value. */
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

/** What the pod's annotations say of the container: what is said of it alone before what is said of all. */
export function fateOf(annotations: Readonly<Record<string, string>> | undefined, container: string): Fate {
  if (!annotations || !Object.keys(annotations).some((key) => key.startsWith(FATE_PREFIX))) return nothing;
  let fate = nothing;
  for (const name of [...Object.keys(readers), ...Object.keys(readers).map((option) => `${container}.${option}`)]) {
    const text = annotations[FATE_PREFIX + name];
    if (text === undefined) continue;
    try {
      fate = { ...fate, ...readers[name.slice(name.lastIndexOf('.') + 1)]!(text) };
    } catch {
      // Told by `fateProblems`; the container does what it would without.
    }
  }
  return fate;
}

/** What is wrong with the annotations of the pod, for people. */
export function fateProblems({ metadata, spec }: Pod): string[] {
  const problems: string[] = [];
  const containers = spec?.containers ?? [];
  const initContainers = spec?.initContainers ?? [];
  const ephemeralContainers = spec?.ephemeralContainers ?? [];
  const names = new Set([...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name));
  for (const [key, text] of Object.entries(metadata.annotations ?? {})) {
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

/** Whether the probe passes so long after the container was started, and for how long the answer holds. */
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

/** `always`, `never`, `after 10s` or just `10s`, `until 10s`, `flapping 10s`. */
function probeScript(text: string): ProbeScript {
  if (text === 'always' || text === 'never') return { passes: text };
  const [, passes = 'after', time = ''] = /^(?:(after|until|flapping)\s+)?(\S+)$/.exec(text) ?? [];
  const ms = duration(time);
  if (passes === 'flapping' && ms < 1) throw new Error('there must be time in between');
  return { passes: oneOf(passes, ['after', 'until', 'flapping']), ms };
}

/** `error`, `error 30s`, or how long it takes. */
function pullScript(text: string): PullScript {
  const error = /^error(?:\s+(\S+))?$/.exec(text);
  if (!error) return { takesMs: duration(text) };
  return { failsForMs: error[1] === undefined ? undefined : duration(error[1]) };
}
