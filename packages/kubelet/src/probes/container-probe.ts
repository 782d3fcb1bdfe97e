import type { Container, Pod, Probe } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Clock, Timer } from '@coxswain/client';
import { ProbeError, type ProbeKind, type ProbeResult, type Prober } from './prober.ts';

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
  /** When the first of the periods begins, in the clock's monotonic time. Nothing is asked before. */
  readonly periodsFromMs: number;
  readonly mayProbe: () => boolean;
  readonly onResult: () => void;
  readonly onUnhealthy: (reason: string, message: string, pod: Pod) => void;
  readonly record: (pod: Pod, passes: boolean, seconds: number) => void;
}

const initial: Readonly<Record<ProbeKind, ProbeOutcome>> = {
  Readiness: 'Failure',
  Liveness: 'Success',
  Startup: 'Unknown',
};

const maxTries = 3;

/**
 * One probe of one container, from its start to its end: asks again and again, and counts answers against the thresholds.
 *
 * A liveness or startup probe asks at the beginning of each period, which are counted from when the pod came to the node; so a container has
 * some time to start before the first one. A readiness probe asks as soon as its initial delay is over, and then in periods from there; while
 * it does not pass, it asks also whenever the pod is looked at.
 *
 * Differs from upstream: answers of an earlier container of that name don't count, and an initial delay does not have to end with a period for
 * a readiness probe. With an instant prober every probe asks as soon as it may, and not again as long as the answer is known to stay the same.
 */
export class ContainerProbe {
  readonly kind: ProbeKind;
  outcome: ProbeOutcome;
  readonly #options: ContainerProbeOptions;
  readonly #periodMs: number;
  readonly #periodsFromMs: number;
  #pod: Pod;
  #podIP = '';
  #timer: Timer | undefined;
  #isProbing = false;
  #hasAsked = false;
  /** Aborted when no more answers are wanted: it failed for good, or the container is gone. */
  readonly #done = new AbortController();
  /** How often the last answer came in a row. */
  #run = { passes: true, count: 0 };

  constructor(options: ContainerProbeOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.#pod = options.pod;
    this.#periodMs = (options.probe.periodSeconds ?? 10) * 1000;
    this.#periodsFromMs = options.periodsFromMs;
    this.outcome = options.wasPassing && options.kind !== 'Liveness' ? 'Success' : initial[options.kind];
    if (options.kind === 'Startup' && options.wasPassing) this.#done.abort();
  }

  /** Takes the pod as it is now. What it scripts may have changed. */
  refresh(pod: Pod, podIP: string): void {
    const before = this.#pod.metadata.annotations;
    this.#pod = pod;
    this.#podIP = podIP;
    if (this.#options.prober.isInstant) {
      const after = pod.metadata.annotations;
      if (before !== after && JSON.stringify(before) !== JSON.stringify(after)) this.probeSoon();
    } else if (this.kind === 'Readiness' && this.outcome !== 'Success' && this.#hasAsked) {
      this.probeSoon();
    }
  }

  /** Asks as soon as it may. */
  probeSoon(): void {
    const { probe, clock, startedAtMs, prober } = this.#options;
    const delayMs = Math.max(0, startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now());
    if (prober.isInstant) {
      this.#schedule(delayMs);
      return;
    }
    const nowMs = clock.monotonic();
    const fromMs = Math.max(nowMs + delayMs, this.#periodsFromMs);
    const periods = Math.ceil((fromMs - this.#periodsFromMs) / this.#periodMs);
    const atMs = this.kind === 'Readiness' ? fromMs : this.#periodsFromMs + periods * this.#periodMs;
    this.#schedule(atMs - nowMs);
  }

  succeedForGood(): void {
    this.outcome = 'Success';
    this.stop();
  }

  stop(): void {
    this.#done.abort();
    this.#timer?.cancel();
  }

  get #isDone(): boolean {
    return this.#done.signal.aborted;
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isDone || this.#isProbing || delayMs === Number.POSITIVE_INFINITY) return;
    if (delayMs <= 0) void this.#ask();
    else this.#timer = this.#options.clock.setTimeout(() => void this.#ask(), delayMs);
  }

  async #ask(): Promise<void> {
    // Who waits for the startup probe is woken by it.
    if (this.#isDone || this.#isProbing || !this.#options.mayProbe()) return;
    const { clock, prober, record } = this.#options;
    this.#isProbing = true;
    this.#hasAsked = true;
    const askedAtMs = clock.monotonic();
    const result = await this.#probe();
    this.#isProbing = false;
    if (this.#isDone) return;
    if (result) {
      record(this.#pod, result.outcome !== 'Failure', (clock.monotonic() - askedAtMs) / 1000);
      this.#count(result);
    }
    this.#schedule(prober.isInstant ? this.#waitMs(result) : this.#nextPeriodMs(askedAtMs) - clock.monotonic());
  }

  /** Returns how long the answer of an instant prober holds, in whole periods. */
  #waitMs(result: ProbeResult | undefined): number {
    const holdsForMs = result?.outcome !== 'Failure' && this.outcome === 'Success' ? (result?.holdsForMs ?? 0) : 0;
    return Math.max(1, Math.ceil(holdsForMs / this.#periodMs)) * this.#periodMs;
  }

  /** Returns when the period begins that follows the one of a question. Periods of a readiness probe are counted from each question. */
  #nextPeriodMs(askedAtMs: number): number {
    if (this.kind === 'Readiness') return askedAtMs + this.#periodMs;
    const periods = Math.floor((askedAtMs - this.#periodsFromMs) / this.#periodMs) + 1;
    return this.#periodsFromMs + periods * this.#periodMs;
  }

  /** Undefined when it could not ask. */
  async #probe(): Promise<ProbeResult | undefined> {
    const { kind, prober, probe, container, containerId, startedAtMs, onUnhealthy } = this.#options;
    const { signal } = this.#done;
    const request = { kind, probe, pod: this.#pod, container, containerId, startedAtMs, podIP: this.#podIP, signal };
    for (let tries = 1; ; tries++) {
      try {
        return await prober.probe(request);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (tries < maxTries) continue;
        const state = error instanceof ProbeError ? error.state : 'unknown';
        const message = `${kind} probe errored and resulted in ${state} state: ${messageOf(error)}`;
        onUnhealthy('Unhealthy', message, this.#pod);
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
