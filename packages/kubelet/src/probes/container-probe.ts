import type { Container, Pod, Probe } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Clock, Timer } from '@coxswain/client';
import type { ProbeKind, ProbeResult, Prober } from './prober.ts';

export type ProbeOutcome = 'Success' | 'Failure' | 'Unknown';

export interface ContainerProbeOptions {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly startedAtMs: number;
  readonly wasPassing: boolean;
  readonly prober: Prober;
  readonly clock: Clock;
  readonly mayProbe: () => boolean;
  readonly onResult: () => void;
  readonly onUnhealthy: (reason: string, message: string, pod: Pod) => void;
}

const initial: Readonly<Record<ProbeKind, ProbeOutcome>> = {
  Readiness: 'Failure',
  Liveness: 'Success',
  Startup: 'Unknown',
};

const maxRetries = 3;

/**
 * One probe of one container, from its start to its end: asks again and again, and counts answers against the thresholds.
 *
 * Differs from upstream: the first answer is asked for as soon as the initial delay is over, not at the next tick of a
 * period; and an answer that is known to stay the same is not asked for again.
 */
export class ContainerProbe {
  readonly kind: ProbeKind;
  outcome: ProbeOutcome;
  readonly #options: ContainerProbeOptions;
  #pod: Pod;
  #podIP = '';
  #timer: Timer | undefined;
  #isProbing = false;
  /** No more answers are wanted: it failed for good, or the container is gone. */
  #isDone = false;
  /** How often the last answer came in a row. */
  #run = { passes: true, count: 0 };

  constructor(options: ContainerProbeOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.#pod = options.pod;
    this.outcome = options.wasPassing && options.kind !== 'Liveness' ? 'Success' : initial[options.kind];
    if (options.kind === 'Startup' && options.wasPassing) this.#isDone = true;
  }

  /** The pod as it is now. What it scripts may have changed. */
  refresh(pod: Pod, podIP: string): void {
    const before = this.#pod.metadata.annotations;
    this.#pod = pod;
    this.#podIP = podIP;
    if (before !== pod.metadata.annotations && JSON.stringify(before) !== JSON.stringify(pod.metadata.annotations)) {
      this.probeSoon();
    }
  }

  /** Asks as soon as it may. */
  probeSoon(): void {
    const { probe, clock, startedAtMs } = this.#options;
    const notBeforeMs = startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000;
    this.#schedule(Math.max(0, notBeforeMs - clock.now()));
  }

  succeedForGood(): void {
    this.outcome = 'Success';
    this.stop();
  }

  stop(): void {
    this.#isDone = true;
    this.#timer?.cancel();
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isDone || this.#isProbing) return;
    if (delayMs === 0) void this.#ask();
    else this.#timer = this.#options.clock.setTimeout(() => void this.#ask(), delayMs);
  }

  async #ask(): Promise<void> {
    // Who waits for the startup probe is woken by it.
    if (this.#isDone || this.#isProbing || !this.#options.mayProbe()) return;
    this.#isProbing = true;
    const result = await this.#probe();
    this.#isProbing = false;
    if (this.#isDone) return;
    if (result) this.#count(result);
    const periodMs = (this.#options.probe.periodSeconds ?? 10) * 1000;
    const holdsForMs = result?.outcome !== 'Failure' && this.outcome === 'Success' ? (result?.holdsForMs ?? 0) : 0;
    if (holdsForMs === Number.POSITIVE_INFINITY) return;
    this.#schedule(Math.max(periodMs, Math.ceil(holdsForMs / periodMs) * periodMs));
  }

  /** Undefined when it could not ask. */
  async #probe(): Promise<ProbeResult | undefined> {
    const { kind, prober, probe, container, containerId, startedAtMs, onUnhealthy } = this.#options;
    const request = { kind, probe, pod: this.#pod, container, containerId, startedAtMs, podIP: this.#podIP };
    for (let tries = 1; ; tries++) {
      try {
        return await prober.probe(request);
      } catch (error) {
        if (tries < maxRetries) continue;
        const message = messageOf(error);
        onUnhealthy('Unhealthy', `${kind} probe errored and resulted in unknown state: ${message}`, this.#pod);
        return undefined;
      }
    }
  }

  #count({ outcome, output }: ProbeResult): void {
    const { kind, probe, onUnhealthy, onResult } = this.#options;
    if (outcome === 'Warning') onUnhealthy('ProbeWarning', `${kind} probe warning: ${output}`, this.#pod);
    if (outcome === 'Failure') onUnhealthy('Unhealthy', `${kind} probe failed: ${output}`, this.#pod);
    const passes = outcome !== 'Failure';
    this.#run = { passes, count: this.#run.passes === passes ? this.#run.count + 1 : 1 };
    const threshold = passes ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.#run.count < threshold) return;
    const before = this.outcome;
    this.outcome = passes ? 'Success' : 'Failure';
    if (kind === 'Startup' || (kind === 'Liveness' && !passes)) this.stop();
    if (before !== this.outcome) onResult();
  }
}
