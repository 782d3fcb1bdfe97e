import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { StorageVersionMigration } from '@coxswain/api/storagemigration/v1beta1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { retryOnConflict } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { schedule, withCondition } from './migration.ts';

const fieldManager = 'migration-runner-controller';

/** The content of a CustomResourceDefinition's condition `StorageMigrating`. */
interface Finding {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  /** The new `status.storedVersions`: no object is stored in another version any more. */
  readonly storedVersions?: readonly string[];
}

/**
 * Starts one migration of a resource at a time, and completes finished ones. For a custom resource it sets a condition of the
 * definition, and finally removes versions from `storedVersions` in which no objects are stored any more.
 */
export class MigrationRunner {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(migrations: readonly StorageVersionMigration[], signal: AbortSignal): Promise<void> {
    const { finished, next } = schedule(migrations);
    for (const migration of finished) await this.#end(migration, signal);
    if (next) await this.#begin(next, signal);
  }

  async #begin(migration: StorageVersionMigration, signal: AbortSignal): Promise<void> {
    const message = `Migration ${migration.metadata.name} is running`;
    await this.#tell(migration, () => ({ status: 'True', reason: 'MigrationRunning', message }), signal);
    const running = {
      reason: 'MigrationRunning',
      message: 'The migration is running',
      nowMs: this.#context.clock.now(),
    };
    await this.#update(withCondition(migration, 'Running', running), signal);
  }

  async #end(migration: StorageVersionMigration, signal: AbortSignal): Promise<void> {
    const { metadata, status } = migration;
    const hasSucceeded = status?.conditions?.some(({ type, status: is }) => type === 'Succeeded' && is === 'True');
    await this.#tell(migration, (definition) => (hasSucceeded ? success(definition) : failure), signal);
    const conditions = (status?.conditions ?? []).map((condition) =>
      condition.type !== 'Running'
        ? condition
        : {
            ...condition,
            status: 'False' as const,
            reason: 'MigrationCompleted',
            message: 'Migration completed',
            lastTransitionTime: this.#now(),
            ...(metadata.generation && { observedGeneration: metadata.generation }),
          },
    );
    await this.#update({ ...migration, status: { ...status, conditions } }, signal);
  }

  async #update(migration: StorageVersionMigration, signal: AbortSignal): Promise<void> {
    await this.#context.clients.storagemigration.v1beta1.storageVersionMigrations().updateStatus(migration, { signal });
  }

  /** Sets the condition of the resource's definition, if it has one. `find` is called with the current definition. */
  async #tell(
    { spec }: StorageVersionMigration,
    find: (definition: CustomResourceDefinition) => Finding,
    signal: AbortSignal,
  ): Promise<void> {
    const { clients, clock, random } = this.#context;
    const { group, resource } = spec?.resource ?? { group: '', resource: '' };
    if (group === '') return;
    const name = `${resource}.${group}`;
    const definitions = clients.apiextensions.v1.customResourceDefinitions();
    const tell = async (): Promise<void> => {
      const definition = await definitions.get(name, { signal });
      const { storedVersions, ...finding } = find(definition);
      const { resourceVersion, generation } = definition.metadata;
      const condition = {
        type: 'StorageMigrating' as const,
        ...finding,
        lastTransitionTime: this.#now(),
        ...(generation && { observedGeneration: generation }),
      };
      const status = { conditions: [condition], ...(storedVersions && { storedVersions }) };
      await definitions.applyStatus(
        { metadata: { name, ...(resourceVersion && { resourceVersion }) }, status },
        { fieldManager, force: true, signal },
      );
    };
    try {
      await retryOnConflict(tell, { clock, random, signal });
    } catch (error) {
      // The resource has no definition: it is built-in or served by an aggregated API server.
      if (!isNotFound(error)) throw error;
    }
  }

  #now(): string {
    return timeFromDate(new Date(this.#context.clock.now()));
  }
}

const failure: Finding = { status: 'False', reason: 'MigrationFailed', message: 'The migration has failed' };

/** If the definition has changed since the start, objects may be stored in another version than its storage version. */
function success({ metadata, spec, status }: CustomResourceDefinition): Finding {
  const migrating = status?.conditions?.find(({ type }) => type === 'StorageMigrating');
  const isUnchanged = migrating !== undefined && (migrating.observedGeneration ?? 0) === (metadata.generation ?? 0);
  const versions = spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  return {
    status: 'False',
    reason: 'MigrationSucceeded',
    message: `The migration has succeeded ${
      isUnchanged
        ? 'and the stored versions have been updated'
        : 'but the stored versions have not been updated due to a generation mismatch'
    }`,
    ...(isUnchanged && { storedVersions: versions.slice(0, 1) }),
  };
}
