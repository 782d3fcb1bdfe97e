import type { Container, Pod, Probe } from '@coxswain/api/core/v1';

export type ProbeKind = 'Readiness' | 'Liveness' | 'Startup';

export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly startedAtMs: number;
  /** The node's for a pod in the node's network. Empty if the pod has none. */
  readonly podIP: string;
  /** Aborted when the answer is of no use any more: the container has ended, or the kubelet stops. */
  readonly signal: AbortSignal;
}

export interface ProbeResult {
  readonly outcome: 'Success' | 'Warning' | 'Failure';
  /** For people. */
  readonly output: string;
  /** The answer stays the same for so long: there is no need to ask before. Without: it may change at any time. */
  readonly holdsForMs?: number;
}

/** Rejections of `Prober.probe` whose event does not have to say that the state is unknown. */
export class ProbeError extends Error {
  readonly state: 'failure' | 'unknown';

  constructor(message: string, state: 'failure' | 'unknown', options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProbeError';
    this.state = state;
  }
}

/** Asks containers how they are. */
export interface Prober {
  /**
   * The answer costs nothing and is known without waiting. Then a probe begins as soon as it may, instead of at the next one of its periods.
   */
  readonly isInstant?: boolean;
  /** Rejects if the container could not be asked, and with the reason of the signal when it is aborted. */
  probe(request: ProbeRequest): Promise<ProbeResult>;
  /** Returns a probe that the pod itself does not have. */
  impliedProbe?(pod: Pod, container: Container, kind: ProbeKind): Probe | undefined;
}
