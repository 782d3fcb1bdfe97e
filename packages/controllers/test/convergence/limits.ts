import type { Deployment } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { getControllerOf } from '@coxswain/apimachinery/meta';
import { type ClientSet, SharedInformerFactory } from '@coxswain/client';
import { isPodActive, isPodReady } from '@coxswain/component-helpers';
import type { Faults } from './faults.ts';
import type { UserEdit } from './user-edits.ts';

/** Resolves a percentage such as `25%` of the total, or returns the number. */
export function shareOf(value: number | string | undefined, total: number, round: (x: number) => number): number {
  return typeof value === 'string' ? round((Number.parseInt(value, 10) * total) / 100) : (value ?? 0);
}

/** Returns how many pods above and below its replicas a Deployment may have. */
export function slackOf({ spec }: Deployment, replicas = spec!.replicas!): { surge: number; unavailable: number } {
  const { maxSurge, maxUnavailable } = spec!.strategy?.rollingUpdate ?? { maxSurge: 0, maxUnavailable: replicas };
  const surge = shareOf(maxSurge, replicas, Math.ceil);
  const unavailable = shareOf(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Returns the group that a pod is counted in, such as `one/web` or `one/tick-29`. */
const groupOf = ({ metadata: { namespace, labels } }: Pod): string =>
  `${namespace}/${labels?.['job-name'] ?? labels?.app ?? ''}`;

/** Returns the node that a DaemonSet's pod is bound to, or has an affinity for. */
function nodeOf({ spec }: Pod): string | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return spec?.nodeName ?? required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}

/**
 * Observes all pods and records violations of their owners' limits. The limits are derived from all specs since the controllers
 * were last idle.
 */
export class Limits {
  readonly violations: string[] = [];
  readonly #clients: ClientSet;
  readonly #faults: Faults;
  readonly #informers: SharedInformerFactory;
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, Pod>();
  /** The maximum number of active pods by group. */
  #most = new Map<string, number>();
  /** The minimum number of ready pods of a Deployment, for those that had that many when idle. */
  #fewest = new Map<string, number>();
  /** StatefulSets with ordered pod management. */
  #orderly = new Set<string>();
  /** The uids of DaemonSets that may have two pods on a node. */
  readonly #surging = new Set<string>();
  /** Since the last idle time only the controllers have deleted pods or created objects. */
  #isCalm = false;

  constructor(clients: ClientSet, faults: Faults) {
    this.#clients = clients;
    this.#faults = faults;
    this.#informers = new SharedInformerFactory(clients);
  }

  async start(): Promise<void> {
    this.#informers.core.v1.pods.informer.addEventHandler({
      onAdd: (pod) => this.#see(pod),
      onUpdate: (_, pod) => this.#see(pod),
      onDelete: (known) => this.#miss('object' in known ? known.object : known),
    });
    this.#informers.start(this.#stop.signal);
    await this.#informers.waitForCacheSync();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#informers.shutdown();
  }

  /** Must be called before the edit. */
  async willEdit(edit: UserEdit, namespace: string, n: number): Promise<void> {
    const raise = (app: string, to: number): void => {
      const key = `${namespace}/${app}`;
      this.#most.set(key, Math.max(this.#most.get(key) ?? 0, to));
    };
    const add = (app: string, more: number): void => raise(app, (this.#most.get(`${namespace}/${app}`) ?? 0) + more);
    if (edit === 'create Deployment') add('web', n + 2);
    else if (edit === 'create ReplicaSet') add('set', n);
    else if (edit === 'create Job') add('work', 1 + (n % 3));
    else if (edit === 'scale ReplicaSet') raise('set', n);
    else if (edit === 'widen Job') raise('work', n);
    else if (edit === 'scale Deployment' || edit === 'create HorizontalPodAutoscaler') {
      const [deployment] = await this.#deployments(namespace);
      if (!deployment) return;
      for (const replicas of edit === 'scale Deployment' ? [n] : [4, deployment.spec!.replicas!]) {
        const { surge, unavailable } = slackOf(deployment, replicas);
        raise('web', replicas + surge);
        const key = `${namespace}/web`;
        const fewest = this.#fewest.get(key);
        if (fewest !== undefined) this.#fewest.set(key, Math.min(fewest, replicas - unavailable));
      }
      return;
    }
    if (!edit.startsWith('scale') && !edit.startsWith('change')) this.#isCalm = false;
  }

  /** Must be called before pods end or are deleted that the controllers need. */
  willDisturb(): void {
    this.#isCalm = false;
  }

  /** Must be called when the controllers are idle. */
  async settled(): Promise<void> {
    if (!this.#faults.areOver) {
      this.#isCalm = false;
      return;
    }
    const [deployments, sets, jobs, statefulSets, daemonSets, autoscalers, nodes, namespaces] = await Promise.all([
      this.#deployments(),
      this.#clients.apps.v1.replicaSets().list(),
      this.#clients.batch.v1.jobs().list(),
      this.#clients.apps.v1.statefulSets().list(),
      this.#clients.apps.v1.daemonSets().list(),
      this.#clients.autoscaling.v2.horizontalPodAutoscalers().list(),
      this.#clients.core.v1.nodes().list(),
      this.#clients.core.v1.namespaces().list(),
    ]);
    const most = new Map<string, number>();
    const fewest = new Map<string, number>();
    const raise = (key: string, to: number): void => void most.set(key, Math.max(most.get(key) ?? 0, to));
    const owned = new Map<string, number>();
    for (const { metadata, spec } of sets.items) {
      const key = `${metadata.namespace}/${metadata.labels?.app ?? 'set'}`;
      owned.set(key, (owned.get(key) ?? 0) + spec!.replicas!);
    }
    for (const [key, total] of owned) raise(key, total);
    for (const { metadata, spec } of jobs.items) raise(`${metadata.namespace}/${metadata.name}`, spec!.parallelism!);
    const now = this.#counts(isPodActive);
    for (const [key, count] of now) raise(key, count);
    const ready = this.#counts((pod) => isPodActive(pod) && isPodReady(pod));
    const leaving = new Set(
      namespaces.items.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
    );
    for (const deployment of deployments) {
      const key = `${deployment.metadata.namespace}/web`;
      const isScaled = autoscalers.items.some(({ metadata }) => metadata.namespace === deployment.metadata.namespace);
      const isLeaving =
        deployment.metadata.deletionTimestamp !== undefined || leaving.has(deployment.metadata.namespace);
      for (const replicas of isScaled ? [4, deployment.spec!.replicas!] : [deployment.spec!.replicas!]) {
        const { surge, unavailable } = slackOf(deployment, replicas);
        raise(key, replicas + surge);
        if (isScaled || isLeaving) continue;
        if ((ready.get(key) ?? 0) >= replicas - unavailable) fewest.set(key, replicas - unavailable);
      }
    }
    this.#most = most;
    this.#fewest = fewest;
    this.#orderly = new Set(
      statefulSets.items
        .filter(({ spec }) => spec?.podManagementPolicy !== 'Parallel')
        .map(({ metadata }) => `${metadata.namespace}/db`),
    );
    for (const { metadata, spec } of daemonSets.items) {
      if (spec?.updateStrategy?.rollingUpdate?.maxSurge !== 0) this.#surging.add(metadata.uid!);
    }
    this.#faults.lostPods = 0;
    const names = new Set(nodes.items.map(({ metadata }) => metadata.name));
    // Pods of a deleted node are deleted later.
    const isStranded = ({ spec }: Pod): boolean => spec?.nodeName !== undefined && !names.has(spec.nodeName);
    this.#isCalm = nodes.items.every(({ spec }) => !spec?.taints?.length) && ![...this.#pods.values()].some(isStranded);
  }

  async #deployments(namespace?: string): Promise<Deployment[]> {
    return (await this.#clients.apps.v1.deployments(namespace).list()).items;
  }

  #see(pod: Pod): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const before = this.#pods.get(key);
    this.#pods.set(key, pod);
    const group = groupOf(pod);
    if (!before || before.metadata.uid !== pod.metadata.uid) this.#checkNew(pod, group);
    else if (isPodActive(before) && !isPodActive(pod)) this.#checkLoss(before, group);
  }

  #miss(pod: Pod): void {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const before = this.#pods.get(key);
    this.#pods.delete(key);
    if (before && isPodActive(before)) this.#checkLoss(before, groupOf(before));
  }

  #checkNew(pod: Pod, group: string): void {
    const kind = getControllerOf(pod)?.kind;
    if (kind === 'DaemonSet') this.#checkDaemon(pod, group);
    else if (kind === 'StatefulSet') this.#checkOrder(pod, group);
    else this.#checkNumber(group);
  }

  #checkNumber(group: string): void {
    const count = this.#count(group, isPodActive);
    const most = (this.#most.get(group) ?? (group.includes('/tick-') ? 1 : 0)) + this.#faults.lostPods;
    if (count > most) this.violations.push(`${count} active pods of ${group}, of at most ${most}`);
  }

  #checkDaemon(pod: Pod, group: string): void {
    const { uid = '' } = getControllerOf(pod)!;
    const node = nodeOf(pod);
    const count = this.#count(
      group,
      (other) => isPodActive(other) && getControllerOf(other)?.uid === uid && nodeOf(other) === node,
    );
    const most = (this.#surging.has(uid) ? 2 : 1) + this.#faults.lostPods;
    if (this.#isCalm && count > most) this.violations.push(`${count} active pods of ${group} on ${node}`);
  }

  /** With ordered pod management, a pod may be created only when all pods before it are ready. */
  #checkOrder({ metadata: { namespace, name = '' } }: Pod, group: string): void {
    if (!this.#isCalm || !this.#orderly.has(group)) return;
    for (let i = 0; i < Number(name.slice('db-'.length)); i++) {
      const before = this.#pods.get(`${namespace}/db-${i}`);
      if (!before || !isPodReady(before))
        this.violations.push(`${group}: ${name} was created while db-${i} is not ready`);
    }
  }

  #checkLoss(pod: Pod, group: string): void {
    const fewest = this.#fewest.get(group);
    if (fewest === undefined || !this.#isCalm || !isPodReady(pod)) return;
    const count = this.#count(group, (other) => isPodActive(other) && isPodReady(other));
    if (count < fewest) this.violations.push(`${count} ready pods of ${group}, of at least ${fewest}`);
  }

  #count(group: string, counts: (pod: Pod) => boolean): number {
    let count = 0;
    for (const pod of this.#pods.values()) if (groupOf(pod) === group && counts(pod)) count++;
    return count;
  }

  #counts(counts: (pod: Pod) => boolean): Map<string, number> {
    const result = new Map<string, number>();
    for (const pod of this.#pods.values()) {
      if (counts(pod)) result.set(groupOf(pod), (result.get(groupOf(pod)) ?? 0) + 1);
    }
    return result;
  }
}
