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

/** Applies manifests to a cluster, and deletes them. */
export class Loader {
  readonly #options: LoaderOptions;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /**
   * Applies the manifests by server-side apply, in install order. Waits until CustomResourceDefinitions among them are established. Returns
   * the server's objects.
   */
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

  /**
   * Deletes the objects, in the reverse order, with background propagation. Missing objects are ignored. Resolves when all delete requests
   * have been accepted.
   */
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
