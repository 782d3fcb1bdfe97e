import type { Node } from '@coxswain/api/core/v1';
import { FATE_PREFIX } from '../hollow/fate.ts';
import type { HollowRuntime } from '../hollow/hollow-runtime.ts';
import type { Kubelet } from '../kubelet.ts';
import type { NodeSource } from '../node/node-source.ts';

/** `kubectl annotate node hollow-0 hollow.coxswain.dev/failed=true` */
const failedAnnotation = `${FATE_PREFIX}failed`;

interface Machine {
  readonly kubelet: Kubelet;
  readonly runtime: HollowRuntime;
}

/**
 * One node of a fleet. While its annotation says that it has failed, it behaves like a machine without power: its kubelet does nothing, and
 * its containers are gone when it comes back.
 */
export class HollowNode {
  readonly #boot: () => Machine;
  readonly #nodes: NodeSource;
  #machine: Machine;
  #isFailed = false;

  constructor(boot: () => Machine, nodes: NodeSource) {
    this.#boot = boot;
    this.#nodes = nodes;
    this.#machine = boot();
  }

  get kubelet(): Kubelet {
    return this.#machine.kubelet;
  }

  /** False while the node has failed. */
  get isAlive(): boolean {
    return !this.#isFailed;
  }

  /** Runs until the signal is aborted. Resolves when no work is in progress any more. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const off = new AbortController();
      const leave = this.#onChange((isFailed) => isFailed && off.abort());
      await this.kubelet.run(AbortSignal.any([signal, off.signal]));
      leave();
      this.#machine.runtime.close();
      if (signal.aborted) return;
      await this.#untilRepaired(signal);
      this.#machine = this.#boot();
    }
  }

  async #untilRepaired(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    let leave = (): void => {};
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { signal: over.signal });
      leave = this.#onChange((isFailed) => {
        if (!isFailed) resolve();
      });
    });
    leave();
    over.abort();
  }

  /** Calls back with whether the node has failed: now, and whenever the Node object changes. */
  #onChange(tell: (isFailed: boolean) => void): () => void {
    return this.#nodes.subscribe(this.kubelet.nodeName, (node) => {
      this.#isFailed = hasFailed(node);
      tell(this.#isFailed);
    });
  }
}

const hasFailed = ({ metadata }: Node): boolean => metadata.annotations?.[failedAnnotation] === 'true';
