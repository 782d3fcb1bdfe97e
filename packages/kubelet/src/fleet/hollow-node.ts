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
 * One node of a fleet. As long as its annotation says that it has failed, it is like a machine without power: the cluster hears nothing
 * of it, and what ran there is gone when it comes back.
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

  /** Whether somebody would answer there. */
  get isAlive(): boolean {
    return !this.#isFailed;
  }

  /** Until the signal is aborted; resolves when nothing is under way any more. */
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

  /** Tells whether it has failed, now and whenever somebody has said something of the node. */
  #onChange(tell: (isFailed: boolean) => void): () => void {
    return this.#nodes.subscribe(this.kubelet.nodeName, (node) => {
      this.#isFailed = hasFailed(node);
      tell(this.#isFailed);
    });
  }
}

const hasFailed = ({ metadata }: Node): boolean => metadata.annotations?.[failedAnnotation] === 'true';
