import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { GroupVersion } from '@coxswain/apimachinery';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, newTransport, RESTClient, untilWithSync } from '@coxswain/client';
import type { ManifestDocument } from './documents.ts';
import type { Created } from './validate-manifests.ts';

/** Fields that a server sets when it stores an object. These objects are not stored. */
const storedFields = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'] as const;

/**
 * Validates objects of kinds that CustomResourceDefinitions define: an empty API server in this process, without a port, creates the
 * definitions and validates the objects with dry runs.
 */
export class CustomKinds {
  readonly #server: RunningApiServer;
  readonly #rest: RESTClient;
  readonly #warnings: string[] = [];

  private constructor(server: RunningApiServer) {
    this.#server = server;
    const call = server.transport({ username: 'cox', groups: ['system:masters', 'system:authenticated'] });
    const transport = newTransport({ server: 'https://in-process' }, new InProcessTransport(call));
    this.#rest = new RESTClient(transport, { warnings: ({ text }) => this.#warnings.push(text) });
  }

  static async start(): Promise<CustomKinds> {
    // The namespaces of the objects need not exist.
    return new CustomKinds(await startApiServer({ memory: true, disableAdmissionPlugins: ['NamespaceLifecycle'] }));
  }

  async stop(): Promise<void> {
    await this.#rest.close();
    await this.#server.stop();
  }

  /** Creates a definition. Throws the API server's error. */
  async define(document: ManifestDocument): Promise<void> {
    const definition = await this.#create<CustomResourceDefinition>(
      `/apis/${document.apiVersion}/customresourcedefinitions`,
      document,
    );
    const { name } = definition.metadata;
    const definitions = new ClientSet(this.#rest).apiextensions.v1.customResourceDefinitions();
    // A definition whose names are taken is never served: its objects are reported as an unknown kind.
    await untilWithSync(definitions, name ?? '', (found) =>
      ['Established', 'NamesAccepted'].every((type) => found?.status?.conditions?.some((each) => each.type === type)),
    );
  }

  /** Returns the object that would be created. Throws the API server's error. Returns undefined when no definition has the kind. */
  async create(document: ManifestDocument, defaultNamespace: string): Promise<Created | undefined> {
    const { apiVersion, kind, value } = document;
    const { group, version } = GroupVersion.parse(apiVersion);
    const root = `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
    const resource = await this.#resourceOf(root, kind);
    if (!resource) return undefined;
    const namespace = namespaceOf(value) ?? defaultNamespace;
    const scope = resource.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    this.#warnings.length = 0;
    const path = `${root}${scope}/${resource.name}`;
    const object = await this.#create<{ metadata: Record<string, unknown> }>(path, document, 'All');
    for (const field of storedFields) delete object.metadata[field];
    return {
      object,
      description: `${resource.singularName}.${group}/${object.metadata.name}`,
      warnings: [...this.#warnings],
    };
  }

  async #resourceOf(path: string, kind: string) {
    const { resources } = await this.#rest
      .request<{ resources: { name: string; singularName: string; kind: string; namespaced: boolean }[] }>({
        method: 'GET',
        path,
      })
      .catch(() => ({ resources: [] }));
    return resources.find((each) => each.kind === kind && !each.name.includes('/'));
  }

  #create<T>(path: string, { text }: ManifestDocument, dryRun?: 'All'): Promise<T> {
    return this.#rest.request<T>({
      method: 'POST',
      path,
      query: { fieldValidation: 'Strict', ...(dryRun && { dryRun }) },
      headers: { 'content-type': 'application/yaml' },
      body: text,
    });
  }
}

function namespaceOf({ metadata }: ManifestDocument['value']): string | undefined {
  const isNamed = typeof metadata === 'object' && metadata !== null && 'namespace' in metadata;
  return isNamed && typeof metadata.namespace === 'string' && metadata.namespace !== ''
    ? metadata.namespace
    : undefined;
}
