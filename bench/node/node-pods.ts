import type { Pod } from '@coxswain/api/core/v1';
import { isObjectEvent } from '@coxswain/apimachinery/watch';
import type { ClientSet } from '@coxswain/client';
import { busyboxImage } from '@coxswain/cri/testing';

const namespace = 'default';
export const container = 'main';

/** The pods of a node, and when each of them began to run. */
export class NodePods {
  readonly #clients: ClientSet;
  readonly #nodeName: string;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, Pod>();
  readonly #watching: Promise<void>;
  /** Called with the next change. */
  #waiting: (() => void)[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(clients: ClientSet, nodeName: string, signal: AbortSignal) {
    this.#clients = clients;
    this.#nodeName = nodeName;
    this.#signal = signal;
    this.#watching = this.#watch().catch((error: unknown) => {
      this.#failure = { error };
      this.#changed();
    });
    signal.addEventListener('abort', () => this.#changed());
  }

  /** Creates a pod that sleeps after its command, and resolves when it runs. Returns the time that took. */
  async start(name: string, command = ':'): Promise<number> {
    const begun = performance.now();
    const runs = this.#until(() => this.#pods.get(name)?.status?.phase === 'Running');
    await this.#clients.core.v1.pods(namespace).create({
      metadata: { name },
      spec: {
        nodeName: this.#nodeName,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: container,
            image: busyboxImage,
            imagePullPolicy: 'IfNotPresent',
            command: ['/bin/sh', '-c', `${command}; exec sleep 2147483647`],
          },
        ],
      },
    });
    await runs;
    return performance.now() - begun;
  }

  /** Creates pods at once, and resolves when all of them run. Returns the time that took. */
  async startAll(names: readonly string[]): Promise<number> {
    const begun = performance.now();
    await Promise.all(names.map((name) => this.start(name)));
    return performance.now() - begun;
  }

  /** Deletes all pods, and resolves when they are gone. Returns the time that took. */
  async removeAll(): Promise<number> {
    const begun = performance.now();
    const pods = this.#clients.core.v1.pods(namespace);
    await Promise.all([...this.#pods.keys()].map((name) => pods.delete(name)));
    await this.#until(() => this.#pods.size === 0);
    return performance.now() - begun;
  }

  /** Ends the watch. The pods are left. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const signal = AbortSignal.any([this.#signal, this.#stop.signal]);
    const fieldSelector = `spec.nodeName=${this.#nodeName}`;
    const events = await this.#clients.core.v1.pods(namespace).watch({ fieldSelector, signal });
    for await (const event of events) {
      if (!isObjectEvent(event)) continue;
      const { metadata } = event.object;
      if (event.type === 'DELETED') this.#pods.delete(metadata.name ?? '');
      else this.#pods.set(metadata.name ?? '', event.object);
      this.#changed();
    }
    if (!signal.aborted) throw new Error('the watch of pods has ended');
  }

  #changed(): void {
    for (const proceed of this.#waiting.splice(0)) proceed();
  }

  async #until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      this.#signal.throwIfAborted();
      if (this.#failure) throw this.#failure.error;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
