import type { Container, Pod, Probe } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import { isSidecar } from '../containers/restart-rules.ts';
import type { RuntimeContainer, RuntimePod } from '../runtime/runtime-pod.ts';
import type { ProbeResults } from '../status/pod-status.ts';
import { ContainerProbe, type ProbeOutcome } from './container-probe.ts';
import type { ProbeKind, Prober } from './prober.ts';

export interface ProbeManagerOptions {
  readonly prober: Prober;
  readonly clock: Clock;
  /** What container ids in statuses begin with. */
  readonly runtimeName: () => string;
  /** A result has changed: the pod's status may, and its containers may have to be restarted. */
  readonly onResult: (podUid: string) => void;
  readonly onUnhealthy: (pod: Pod, container: Container, reason: string, message: string) => void;
}

const kinds: readonly ProbeKind[] = ['Startup', 'Liveness', 'Readiness'];

/** The probes of the containers that run, by the ids of these. */
export class ProbeManager implements ProbeResults {
  readonly #options: ProbeManagerOptions;
  /** By pod, then by container id; only of containers that run. */
  readonly #pods = new Map<string, Map<string, ContainerProbe[]>>();
  /** By container id with the runtime's name, as in statuses. */
  readonly #byContainerID = new Map<string, ContainerProbe[]>();

  constructor(options: ProbeManagerOptions) {
    this.#options = options;
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
  update(pod: Pod, runtimePod: RuntimePod): void {
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid);
    const initContainers = pod.spec?.initContainers ?? [];
    const containers = pod.spec?.containers ?? [];
    const running = new Map<string, ContainerProbe[]>();
    const [ip = pod.status?.hostIP ?? ''] = runtimePod.sandboxes[0]?.ips ?? [];
    for (const container of [...initContainers.filter(isSidecar), ...containers]) {
      const latest = runtimePod.containers.find(({ name }) => name === container.name);
      if (latest?.state !== 'Running') continue;
      const probes = known?.get(latest.id) ?? [];
      running.set(latest.id, probes);
      this.#byContainerID.set(this.#idOf(latest.id), probes);
      for (const probe of probes) probe.refresh(pod, ip);
      this.#addMissing(probes, pod, container, latest, ip);
    }
    for (const [id, probes] of known ?? []) if (!running.has(id)) this.#stop(id, probes);
    if (running.size > 0) this.#pods.set(uid, running);
    else this.#pods.delete(uid);
  }

  /** While the pod ends, only its readiness matters. */
  stopLivenessAndStartup(podUid: string): void {
    for (const probes of this.#pods.get(podUid)?.values() ?? []) {
      for (const probe of probes) if (probe.kind !== 'Readiness') probe.succeedForGood();
    }
  }

  remove(podUid: string): void {
    for (const [id, probes] of this.#pods.get(podUid) ?? []) this.#stop(id, probes);
    this.#pods.delete(podUid);
  }

  stop(): void {
    for (const uid of [...this.#pods.keys()]) this.remove(uid);
  }

  /** Those of the pod, and those that the prober finds in it, which may come later. */
  #addMissing(probes: ContainerProbe[], pod: Pod, container: Container, latest: RuntimeContainer, ip: string): void {
    const { prober } = this.#options;
    const added = kinds.flatMap((kind) => {
      if (probes.some((probe) => probe.kind === kind)) return [];
      const spec = specOf(container, kind) ?? prober.impliedProbe?.(pod, container, kind);
      return spec ? this.#newProbe(kind, spec, pod, container, latest, probes) : [];
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
    pod: Pod,
    container: Container,
    { id, startedAtMs }: RuntimeContainer,
    siblings: readonly ContainerProbe[],
  ): ContainerProbe {
    const { prober, clock, onResult, onUnhealthy } = this.#options;
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
      mayProbe: () => kind === 'Startup' || this.isStarted(containerID),
      onResult: () => {
        // The others wait for the startup probe.
        if (kind === 'Startup') for (const sibling of siblings) sibling.probeSoon();
        onResult(pod.metadata.uid ?? '');
      },
      onUnhealthy: (reason, message, current) => onUnhealthy(current, container, reason, message),
    });
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
