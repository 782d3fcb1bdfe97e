import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { APIService } from '@coxswain/api/apiregistration/v1';
import { isAlreadyExists, isConflict, isNotFound, jsonEquals } from '@coxswain/apimachinery';
import type { Logger } from '@coxswain/apimachinery/log';
import type { InternalClient, Lister } from '../registry/lister.ts';
import { localAvailability, withAvailability, writeStatus } from './available-condition.ts';

const [group, resource] = ['apiregistration.k8s.io', 'apiservices'];
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

export interface CustomApiServicesOptions {
  readonly definitions: Lister<CustomResourceDefinition>;
  readonly apiServices: Lister<APIService>;
  readonly client: InternalClient;
  readonly now: () => Date;
  readonly logger: Logger;
}

/**
 * Keeps a local APIService for every served group version of custom resources, as there is one for every built-in group
 * version. APIServices without the automanaged label, which users created for their own servers, are left alone.
 */
export class CustomApiServices {
  readonly #options: CustomApiServicesOptions;
  readonly #unsubscribe: (() => void)[] = [];
  /** Names of APIServices to sync, each at most once. */
  readonly #pending = new Set<string>();
  #working = false;
  #stopped = false;

  constructor(options: CustomApiServicesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { definitions, apiServices } = this.#options;
    await Promise.all([definitions.synced, apiServices.synced]);
    if (this.#stopped) return;
    const defined = (definition: CustomResourceDefinition | undefined): void => {
      for (const { name } of definition?.spec.versions ?? []) this.#look(`${name}.${definition?.spec.group}`);
    };
    this.#unsubscribe.push(
      definitions.onChange((definition, old) => {
        defined(definition);
        defined(old);
      }),
      apiServices.onChange((service, old) => {
        const { name = '', labels } = (service ?? old)?.metadata ?? {};
        // Also when it was deleted or has just lost the label.
        if (labels?.[managedLabel] === 'true' || old?.metadata.labels?.[managedLabel] === 'true') this.#look(name);
      }),
    );
    definitions.list().forEach(defined);
    for (const { metadata } of apiServices.list())
      if (metadata.labels?.[managedLabel] === 'true') this.#look(metadata.name ?? '');
  }

  stop(): void {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #look(name: string): void {
    this.#pending.add(name);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (const name of this.#pending) {
      if (this.#stopped) break;
      this.#pending.delete(name);
      try {
        await this.#sync(name);
      } catch (error) {
        // Caused by a concurrent change, whose event triggers another sync.
        if (!isAlreadyExists(error) && !isConflict(error) && !isNotFound(error) && !this.#stopped)
          this.#options.logger.error('Failed to register APIService', error, { apiService: name });
      }
    }
    this.#working = false;
  }

  async #sync(name: string): Promise<void> {
    const { apiServices, client, now } = this.#options;
    const wanted = this.#wanted(name);
    const current = apiServices.get('', name);
    if (!current) {
      if (!wanted) return;
      const made = await client.create<APIService>(group, resource, wanted);
      return writeStatus(client, withAvailability(made, localAvailability, now()) ?? made);
    }
    if (current.metadata.labels?.[managedLabel] !== 'true') return;
    if (!wanted) {
      const { uid } = current.metadata;
      return client.delete(group, resource, '', name, uid === undefined ? {} : { uid });
    }
    if (!jsonEquals(current.spec, wanted.spec, { undefinedIsAbsent: true })) {
      await client.update(group, resource, { ...current, spec: wanted.spec });
      return;
    }
    const judged = withAvailability(current, localAvailability, now());
    if (judged) await writeStatus(client, judged);
  }

  #wanted(name: string): APIService | undefined {
    const dot = name.indexOf('.');
    const [version, apiGroup] = [name.slice(0, dot), name.slice(dot + 1)];
    const isServed = ({ spec }: CustomResourceDefinition): boolean =>
      spec.group === apiGroup && spec.versions.some((candidate) => candidate.name === version && candidate.served);
    if (!this.#options.definitions.list().some(isServed)) return undefined;
    return {
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: { name, labels: { [managedLabel]: 'true' } },
      // Ranked after all built-in groups; the versions of a group all have the same priority and are ordered by name.
      spec: { group: apiGroup, version, groupPriorityMinimum: 1000, versionPriority: 100 },
    };
  }
}
