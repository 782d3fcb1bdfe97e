import type { KubeletDialer } from '@coxswain/kubelet';
import type { ComponentContext } from '../component.ts';
import type { NamedNode, NodeProvider } from './node-provider.ts';

/** The nodes of several providers in one cluster. */
export class CombinedNodeProvider implements NodeProvider {
  readonly #providers: readonly NodeProvider[];

  constructor(providers: readonly NodeProvider[]) {
    this.#providers = providers;
  }

  get specs(): readonly NamedNode[] {
    return this.#providers.flatMap(({ specs }) => specs);
  }

  /** Those of the first provider. A cluster has one range of each family, and all its nodes get a part of it. */
  get podRanges(): readonly string[] {
    return this.#providers[0]?.podRanges ?? [];
  }

  /** Services may have real endpoints, so only the addresses of hollow nodes and pods are refused. */
  hollowRanges(): readonly string[] {
    return this.#providers.flatMap((provider) => provider.hollowRanges([]));
  }

  dialer(name: string): KubeletDialer | undefined {
    return this.#of(name)?.dialer(name);
  }

  isAlive(name: string): boolean {
    return this.#of(name)?.isAlive(name) ?? false;
  }

  async run(context: ComponentContext): Promise<void> {
    await Promise.all(this.#providers.map((provider) => provider.run(context)));
  }

  async whenRunning(signal: AbortSignal | undefined): Promise<void> {
    await Promise.all(this.#providers.map((provider) => provider.whenRunning?.(signal)));
  }

  async removeDirectory(path: string, node: string | undefined): Promise<void> {
    const owners = node === undefined ? this.#providers : [this.#of(node)];
    await Promise.all(owners.map((provider) => provider?.removeDirectory?.(path, node)));
  }

  async kill(name: string): Promise<void> {
    const provider = this.#of(name);
    if (!provider?.kill) throw new Error(`node ${name} cannot be killed`);
    await provider.kill(name);
  }

  revive(name: string): void {
    const provider = this.#of(name);
    if (!provider?.revive) throw new Error(`node ${name} cannot be revived`);
    provider.revive(name);
  }

  #of(name: string): NodeProvider | undefined {
    return this.#providers.find(({ specs }) => specs.some((spec) => spec.name === name));
  }
}
