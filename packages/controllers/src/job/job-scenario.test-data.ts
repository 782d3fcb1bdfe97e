import type { Job, JobSpec } from '@coxswain/api/batch/v1';
import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { ResourceInterface } from '@coxswain/client';
import type { TestCluster } from '../../test/test-cluster.ts';

/** Creates Jobs in the default namespace, and sets the status of their pods as kubelets do. */
export class JobScenario {
  readonly cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
  }

  get jobs(): ResourceInterface<Job> {
    return this.cluster.clients.batch.v1.jobs('default');
  }

  get #pods(): ResourceInterface<Pod> {
    return this.cluster.clients.core.v1.pods('default');
  }

  /** Returns the writes of the controllers during `work`. */
  async writesOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.cluster.spy.writes.length;
    await work();
    return this.cluster.spy.writes
      .slice(before)
      .map(({ method, url }) => `${method} ${url.replace(/.*default\//, '')}`);
  }

  /** Returns the events of Jobs, without the random suffixes of pod names. */
  async events(): Promise<string[]> {
    const events = await this.cluster.events();
    return events.map((event) => event.replace(/(pod: .*-)\w{5}$/, '$1…'));
  }

  /** Creates a Job and waits for its first pods. */
  async create(spec: Partial<JobSpec> = {}, name = 'pi'): Promise<Job> {
    const { template = podTemplate(), ...rest } = spec;
    const job = await this.jobs.create({ metadata: { name }, spec: { template, ...rest } });
    await this.cluster.settle();
    return job;
  }

  job(name = 'pi'): Promise<Job> {
    return this.jobs.get(name);
  }

  /** Returns the pods in order of their creation. */
  async pods(): Promise<Pod[]> {
    const { items } = await this.#pods.list();
    const order = ({ metadata }: Pod): string => `${metadata.creationTimestamp} ${metadata.name}`;
    return items.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** Returns the pods that are neither terminated nor being deleted. */
  async activePods(): Promise<Pod[]> {
    const pods = await this.pods();
    return pods.filter(({ metadata, status }) => {
      return !metadata.deletionTimestamp && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
    });
  }

  /** Returns the active pod of an index. */
  async podOfIndex(index: number): Promise<Pod> {
    const pods = await this.activePods();
    return pods.find((pod) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === `${index}`)!;
  }

  async setStatus(pod: Pod, status: PodStatus): Promise<void> {
    await this.#pods.patch(pod.metadata.name!, 'strategic-merge', { status }, { subresource: 'status' });
  }

  async start(...pods: Pod[]): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: this.#now }];
    for (const pod of pods) await this.setStatus(pod, { phase: 'Running', conditions });
    await this.tick();
  }

  async succeed(...pods: Pod[]): Promise<void> {
    for (const pod of pods) await this.setStatus(pod, { phase: 'Succeeded' });
    await this.tick();
  }

  async fail(pod: Pod, exitCode = 1, status: PodStatus = {}): Promise<void> {
    const state = { terminated: { exitCode, finishedAt: this.#now } };
    const container = { name: 'main', ready: false, restartCount: 0, image: 'pi:1', imageID: '', state };
    await this.setStatus(pod, { phase: 'Failed', containerStatuses: [container], ...status });
    await this.tick();
  }

  /** Binds the pod to a node, as the scheduler does. Only bound pods have a grace period. */
  async bind({ metadata: { name = '' } }: Pod): Promise<void> {
    const target = { kind: 'Node', name: 'node-1' };
    await this.cluster.clients.core.v1.pods('default').bind(name, { target });
  }

  /** Removes the pod, as a kubelet does at the end of the grace period. */
  async remove(pod: Pod): Promise<void> {
    await this.#pods.delete(pod.metadata.name!, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    await this.tick();
  }

  /** Starts the deletion of the pod with its grace period. */
  async evict(pod: Pod): Promise<void> {
    await this.#pods.delete(pod.metadata.name!);
    await this.tick();
  }

  /** Waits until changes of pods have been handled. */
  async tick(): Promise<void> {
    await this.cluster.settle();
    await this.cluster.advance(1000);
  }

  get #now(): string {
    return new Date(this.cluster.clock.now()).toISOString().replace('.000', '');
  }
}

export const podTemplate = (restartPolicy: 'Never' | 'OnFailure' = 'Never'): JobSpec['template'] => ({
  spec: { restartPolicy, containers: [{ name: 'main', image: 'pi:1' }] },
});

/** Formats the conditions as `Complete=True CompletionsReached: Reached …`. */
export const conditionsOf = ({ status }: Job): string[] =>
  (status?.conditions ?? []).map(({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`);

export const finalizer = 'batch.kubernetes.io/job-tracking';
export const indexKey = 'batch.kubernetes.io/job-completion-index';
export const failureCount = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredCount = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const completed = [
  'SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods',
  'Complete=True CompletionsReached: Reached expected number of succeeded pods',
];
export const failedWith = (reason: string, message: string): string[] => [
  `FailureTarget=True ${reason}: ${message}`,
  `Failed=True ${reason}: ${message}`,
];
