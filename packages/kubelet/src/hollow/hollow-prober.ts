import type { Container, Pod, Probe } from '@coxswain/api/core/v1';
import { formatDuration } from '@coxswain/apimachinery/time';
import { type Clock, systemClock } from '@coxswain/client';
import { resolveContainerPort } from '../actions/resolve-container-port.ts';
import type { ProbeKind, ProbeRequest, ProbeResult, Prober } from '../probes/prober.ts';
import { expandWithStatic } from '../volumes/expansion.ts';
import { commandOutcome } from './command-outcome.ts';
import { type Fate, fateOf, type ProbeScript, probeAt } from './fate.ts';

/** Returns the results that the pod's annotations script. Otherwise, exec probes behave as their command would, and others pass. */
export class HollowProber implements Prober {
  readonly isInstant = true;
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async probe({ kind, probe, pod, container, startedAtMs }: ProbeRequest): Promise<ProbeResult> {
    const script = scriptOf(fateOf(pod.metadata.annotations, container.name), kind);
    if (!script && probe.exec) return execResult(probe, container);
    // These probes pass although no server answers. A named port that the container does not have is an error, as on every node.
    const port = (probe.httpGet ?? probe.tcpSocket)?.port;
    if (!script && port !== undefined) resolveContainerPort(port, container);
    const { passes, holdsForMs } = probeAt(script, this.#clock.now() - startedAtMs);
    return passes
      ? { outcome: 'Success', output: '', holdsForMs }
      : { outcome: 'Failure', output: "scripted by the pod's annotations", holdsForMs };
  }

  /** Returns a probe for a container that has none but is scripted, so that any container can be made unready. */
  impliedProbe(pod: Pod, container: Container, kind: ProbeKind): Probe | undefined {
    if (!scriptOf(fateOf(pod.metadata.annotations, container.name), kind)) return undefined;
    // A startup probe that fails for a while must not restart the container.
    return { periodSeconds: 1, timeoutSeconds: 1, successThreshold: 1, failureThreshold: kind === 'Startup' ? 30 : 1 };
  }
}

function scriptOf(fate: Fate, kind: ProbeKind): ProbeScript | undefined {
  if (kind === 'Readiness') return fate.readiness;
  return kind === 'Liveness' ? fate.liveness : fate.startup;
}

/** Returns the result of an exec probe without delay, even if the command would take some time. */
function execResult({ exec, timeoutSeconds = 1 }: Probe, { env }: Container): ProbeResult {
  const command = expandWithStatic(exec?.command ?? [], env);
  const { runForMs, exitCode } = commandOutcome(command) ?? { runForMs: 0, exitCode: 0 };
  const holdsForMs = Number.POSITIVE_INFINITY;
  if (runForMs > timeoutSeconds * 1000) {
    const time = formatDuration(timeoutSeconds * 1e9);
    const output = `command timed out: ${JSON.stringify(command.join(' '))} timed out after ${time}`;
    return { outcome: 'Failure', output, holdsForMs };
  }
  return { outcome: exitCode === 0 ? 'Success' : 'Failure', output: '', holdsForMs };
}
