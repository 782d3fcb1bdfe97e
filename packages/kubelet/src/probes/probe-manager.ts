import type { Container, Pod, Probe } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import { ContainerProbe, type ProbeOutcome } from './container-probe.ts';
import type { ProbeMetrics } from './probe-metrics.ts';
import type { ProbeKind, Prober } from './prober.ts';

export interface ProbeManagerOptions {
  readonly prober: Prober;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** What container ids in statuses begin with. */
  readonly runtimeName: () => string;
  /** The node's addresses, at which pods in its network are asked. */
  readonly hostIPs: () => readonly string[];
  /** Not recorded when absent. */
  readonly metrics?: ProbeMetrics | undefined;
  /** A result has changed: the pod's status may, and its containers may have to be restarted. */
  readonly onResult: (podUid: string) => void;
  readonly onUnhealthy: (pod: Pod, container: Container, reason: string, message: string) => void;
}

/** A pod as the container runtime has it, the latest first. */
export interface ProbedPod {
  readonly sandboxes: readonly { readonly ips: readonly string[] }[];
  readonly containers: readonly ProbedContainer[];
}

interface ProbedContainer {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly startedAtMs: number;
}

interface PodProbes {
  pod: Pod;
  /** When the pod was first seen, in the clock's monotonic time. */
  readonly sinceMs: number;
  /** By container id; only of containers that run. */
  containers: ReadonlyMap<string, ContainerProbe[]>;
}

const kinds: readonly ProbeKind[] = ['Startup', 'Liveness', 'Readiness'];

/** The probes of the containers that run, by the ids of these. */
export class ProbeManager {
  readonly #options: ProbeManagerOptions;
  readonly #startedAtMs: number;
  /** By uid; from the first `update` of a pod to its `remove`. */
  readonly #pods = new Map<string, PodProbes>();
  /** By container id with the runtime's name, as in statuses. */
  readonly #byContainerID = new Map<string, ContainerProbe[]>();

  constructor(options: ProbeManagerOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.now();
  }

  isStarted(containerID: string): boolean {
    return this.#outcome(containerID, 'Startup') === 'Success';
  }

  isReady(containerID: string): boolean {
    return this.#outcome(containerID, 'Readiness') === 'Success';
  }

  hasStarted(containerId: string): boolean {
    return this.isStarted(this.#idOf(containerId));
  }

  /** The container must be restarted, for failing this probe. */
  failed(containerId: string): 'Liveness' | 'Startup' | undefined {
    const containerID = this.#idOf(containerId);
    if (this.#outcome(containerID, 'Liveness') === 'Failure') return 'Liveness';
    return this.#outcome(containerID, 'Startup') === 'Failure' ? 'Startup' : undefined;
  }

  /** Probes what runs now, and no longer what does not. */
  update(pod: Pod, runtimePod: ProbedPod): void {
    const { clock, hostIPs } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid) ?? { pod, sinceMs: clock.monotonic(), containers: new Map() };
    this.#pods.set(uid, known);
    known.pod = pod;
    const before = known.containers;
    const running = new Map<string, ContainerProbe[]>();
    known.containers = running;
    const [ip = ''] = pod.spec?.hostNetwork ? hostIPs() : (runtimePod.sandboxes[0]?.ips ?? []);
    const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
    for (const container of [...sidecars, ...(pod.spec?.containers ?? [])]) {
      const latest = runtimePod.containers.find(({ name }) => name === container.name);
      if (latest?.state !== 'Running') continue;
      const probes = before.get(latest.id) ?? [];
      running.set(latest.id, probes);
      this.#byContainerID.set(this.#idOf(latest.id), probes);
      for (const probe of probes) probe.refresh(pod, ip);
      this.#addMissing(probes, known, container, latest, ip);
    }
    for (const [id, probes] of before) if (!running.has(id)) this.#stop(id, probes);
  }

  /** While the pod ends, only its readiness matters. */
  stopLivenessAndStartup(podUid: string): void {
    for (const [id, probes] of this.#pods.get(podUid)?.containers ?? []) {
      const hasStarted = this.hasStarted(id);
      for (const probe of probes) if (probe.kind !== 'Readiness') probe.succeedForGood();
      // It has waited for the startup probe.
      if (!hasStarted) for (const probe of probes) probe.probeSoon();
    }
  }

  remove(podUid: string): void {
    const known = this.#pods.get(podUid);
    if (!known) return;
    this.#pods.delete(podUid);
    for (const [id, probes] of known.containers) this.#stop(id, probes);
    this.#options.metrics?.forget(known.pod);
  }

  stop(): void {
    for (const uid of [...this.#pods.keys()]) this.remove(uid);
  }

  /** Adds those of the pod, and those that the prober finds in it, which may come later. */
  #addMissing(
    probes: ContainerProbe[],
    known: PodProbes,
    container: Container,
    latest: ProbedContainer,
    ip: string,
  ): void {
    const { prober } = this.#options;
    const { pod } = known;
    const added = kinds.flatMap((kind) => {
      if (probes.some((probe) => probe.kind === kind)) return [];
      const spec = specOf(container, kind) ?? prober.impliedProbe?.(pod, container, kind);
      return spec ? this.#newProbe(kind, spec, known, container, latest, probes) : [];
    });
    if (added.length === 0) return;
    probes.push(...added);
    for (const probe of added) {
      probe.refresh(pod, ip);
      probe.probeSoon();
    }
  }

  #newProbe(
    kind: ProbeKind,
    probe: Probe,
    { pod, sinceMs }: PodProbes,
    container: Container,
    { id, startedAtMs }: ProbedContainer,
    siblings: readonly ContainerProbe[],
  ): ContainerProbe {
    const { prober, clock, metrics, onResult, onUnhealthy } = this.#options;
    const containerID = this.#idOf(id);
    const before = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
      (status) => status.containerID === containerID,
    );
    return new ContainerProbe({
      kind,
      probe,
      pod,
      container,
      containerId: id,
      startedAtMs,
      // A kubelet that was restarted does not take back what was said before.
      wasPassing: kind === 'Readiness' ? before?.ready === true : before?.started === true,
      prober,
      clock,
      periodsFromMs: sinceMs + this.#jitterMs(probe, startedAtMs),
      mayProbe: () => kind === 'Startup' || this.isStarted(containerID),
      onResult: () => {
        // The others wait for the startup probe.
        if (kind === 'Startup') for (const sibling of siblings) sibling.probeSoon();
        onResult(pod.metadata.uid ?? '');
      },
      onUnhealthy: (reason, message, current) => onUnhealthy(current, container, reason, message),
      record: (current, passes, seconds) => metrics?.record(current, container, kind, passes, seconds),
    });
  }

  /**
   * A kubelet that was restarted finds many containers at once; their probes begin in different parts of their periods.
   *
   * Differs from upstream, where this is so for all pods that come within a period after the start.
   */
  #jitterMs({ periodSeconds = 10 }: Probe, startedAtMs: number): number {
    return startedAtMs < this.#startedAtMs ? this.#options.random() * periodSeconds * 1000 : 0;
  }

  #stop(id: string, probes: readonly ContainerProbe[]): void {
    for (const probe of probes) probe.stop();
    this.#byContainerID.delete(this.#idOf(id));
  }

  /** What has no such probe passes it, as soon as it is known to run. */
  #outcome(containerID: string, kind: ProbeKind): ProbeOutcome {
    const probe = this.#byContainerID.get(containerID)?.find((candidate) => candidate.kind === kind);
    return probe ? probe.outcome : 'Success';
  }

  #idOf(containerId: string): string {
    return `${this.#options.runtimeName()}://${containerId}`;
  }
}

function specOf(container: Container, kind: ProbeKind): Probe | undefined {
  if (kind === 'Readiness') return container.readinessProbe;
  return kind === 'Liveness' ? container.livenessProbe : container.startupProbe;
}
