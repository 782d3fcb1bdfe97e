import type { PodSandboxMetadata } from '@coxswain/cri';
import { podUidLabel } from '../runtime/labels.ts';
import type { HollowContainer } from './hollow-container.ts';

export interface HollowSandbox {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly createdAt: bigint;
  readonly network: 'NODE' | 'POD';
  readonly ips: readonly string[];
  isReady: boolean;
  /** The latest is first. */
  readonly containers: HollowContainer[];
}

type Labels = Readonly<Record<string, string>>;

/** The sandboxes and containers of one node, by id and by labels. A lookup with the label of a pod's uid does not scan other pods. */
export class HollowPods {
  readonly #sandboxes = new Map<string, HollowSandbox>();
  readonly #containers = new Map<string, HollowContainer>();
  /** Sandboxes by the uid of their pod. */
  readonly #byPod = new Map<string, HollowSandbox[]>();

  sandbox(id: string): HollowSandbox | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): HollowContainer | undefined {
    return this.#containers.get(id);
  }

  sandboxes(selector: Labels): HollowSandbox[] {
    const uid = selector[podUidLabel];
    const candidates = uid === undefined ? [...this.#sandboxes.values()] : (this.#byPod.get(uid) ?? []);
    return candidates.filter(({ labels }) => matches(labels, selector));
  }

  containers(selector: Labels): HollowContainer[] {
    const uid = selector[podUidLabel];
    const sandboxes = uid === undefined ? [...this.#sandboxes.values()] : (this.#byPod.get(uid) ?? []);
    return sandboxes.flatMap(({ containers }) => containers).filter(({ config }) => matches(config.labels, selector));
  }

  addSandbox(sandbox: HollowSandbox): void {
    const { uid } = sandbox.metadata;
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#byPod.set(uid, [...(this.#byPod.get(uid) ?? []), sandbox]);
  }

  removeSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) return;
    for (const container of sandbox.containers) this.#containers.delete(container.id);
    this.#sandboxes.delete(id);
    const others = this.#byPod.get(sandbox.metadata.uid)?.filter((other) => other !== sandbox) ?? [];
    if (others.length > 0) this.#byPod.set(sandbox.metadata.uid, others);
    else this.#byPod.delete(sandbox.metadata.uid);
  }

  addContainer(sandbox: HollowSandbox, container: HollowContainer): void {
    sandbox.containers.unshift(container);
    this.#containers.set(container.id, container);
  }

  removeContainer(container: HollowContainer): void {
    const siblings = this.#sandboxes.get(container.sandboxId)?.containers ?? [];
    siblings.splice(siblings.indexOf(container), 1);
    this.#containers.delete(container.id);
  }
}

const matches = (labels: Labels, selector: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);
