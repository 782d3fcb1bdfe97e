import { isNotFound } from '@coxswain/apimachinery/errors';
import { ObjectClient, type RESTClient } from '@coxswain/client';
import { inInstallOrder } from './install-order.ts';
import { type Manifest, type Manifests, readManifests } from './read-manifests.ts';

const fieldManager = 'testkit';

export interface LoaderOptions {
  readonly rest: RESTClient;
  /** Resolves when the condition is true. */
  until(condition: () => Promise<boolean>, what: string): Promise<unknown>;
}

/** Brings manifests into a cluster, and out of it. */
export class Loader {
  readonly #options: LoaderOptions;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /** Server-side apply, in an order that works. Kinds that are defined here are waited for. Returns what the server has now. */
  async apply(manifests: Manifests): Promise<Manifest[]> {
    const objects = new ObjectClient(this.#options.rest);
    const applied: Manifest[] = [];
    const definitions: Manifest[] = [];
    for (const manifest of inInstallOrder(readManifests(manifests))) {
      if (manifest.kind !== 'CustomResourceDefinition') await this.#untilServed(objects, definitions.splice(0));
      const result = await objects.apply(manifest, { fieldManager, force: true });
      if (manifest.kind === 'CustomResourceDefinition') definitions.push(result);
      applied.push(result);
    }
    await this.#untilServed(objects, definitions);
    return applied;
  }

  /** In the opposite order; what is not there is no matter. Resolves when the server has begun with all of it. */
  async delete(manifests: Manifests): Promise<void> {
    const objects = new ObjectClient(this.#options.rest);
    for (const manifest of inInstallOrder(readManifests(manifests)).reverse()) {
      await objects.delete(manifest, { propagationPolicy: 'Background' }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }

  async #untilServed(objects: ObjectClient, definitions: readonly Manifest[]): Promise<void> {
    for (const definition of definitions) {
      const isEstablished = async (): Promise<boolean> => {
        const { status } = await objects.get<Manifest & { status?: DefinitionStatus }>(definition);
        return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true;
      };
      await this.#options.until(isEstablished, `the definition ${definition.metadata.name} to be established`);
    }
  }
}

interface DefinitionStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
