import type { Container, Pod, Probe } from '@coxswain/api/core/v1';

export type ProbeKind = 'Readiness' | 'Liveness' | 'Startup';

export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly startedAtMs: number;
  readonly podIP: string;
}

export interface ProbeResult {
  readonly outcome: 'Success' | 'Warning' | 'Failure';
  /** For people. */
  readonly output: string;
  /** The answer stays the same for so long: there is no need to ask before. Without: it may change at any time. */
  readonly holdsForMs?: number;
}

/** Asks containers how they are. Rejects when it could not ask. */
export interface Prober {
  probe(request: ProbeRequest): Promise<ProbeResult>;
  /** A probe that the pod itself does not have. */
  impliedProbe?(pod: Pod, container: Container, kind: ProbeKind): Probe | undefined;
}
