import type { Container, Pod, Probe } from '@coxswain/api/core/v1';
import { type Clock, systemClock } from '@coxswain/client';
import type { ProbeKind, ProbeRequest, ProbeResult, Prober } from '../prober.ts';
import { type Fate, fateOf, type ProbeScript, probeAt } from './fate.ts';

/** Answers probes as the pods' annotations say; without, they pass. */
export class HollowProber implements Prober {
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async probe({ kind, pod, container, startedAtMs }: ProbeRequest): Promise<ProbeResult> {
    const { passes, holdsForMs } = probeAt(
      scriptOf(fateOf(pod, container.name), kind),
      this.#clock.now() - startedAtMs,
    );
    return passes
      ? { outcome: 'Success', output: '', holdsForMs }
      : { outcome: 'Failure', output: 'the pod’s annotations say so', holdsForMs };
  }

  /** A script makes a probe where the pod has none, so that any pod can be made unready. */
  impliedProbe(pod: Pod, container: Container, kind: ProbeKind): Probe | undefined {
    if (!scriptOf(fateOf(pod, container.name), kind)) return undefined;
    // What takes some time to start has not failed to.
    return { periodSeconds: 1, timeoutSeconds: 1, successThreshold: 1, failureThreshold: kind === 'Startup' ? 30 : 1 };
  }
}

function scriptOf(fate: Fate, kind: ProbeKind): ProbeScript | undefined {
  if (kind === 'Readiness') return fate.readiness;
  return kind === 'Liveness' ? fate.liveness : fate.startup;
}
