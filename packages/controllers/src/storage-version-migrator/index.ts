/**
 * StorageVersionMigrations rewrite objects that are stored in an old version or encrypted with an old key. Start at
 * `migrator.ts`; `migration-runner.ts` decides which migration runs.
 */

import type { StorageVersionMigration } from '@coxswain/api/storagemigration/v1beta1';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { MigrationRunner } from './migration-runner.ts';
import { Migrator } from './migrator.ts';

const name = 'storage-version-migrator-controller';
const byResource = 'byMigratedResource';

export const storageVersionMigratorController: ControllerDefinition = {
  name,
  aliases: ['svm'],
  needs: [{ group: 'storagemigration.k8s.io', version: 'v1beta1', resource: 'storageversionmigrations' }],
  create: newController,
};

const resourceOf = ({ spec }: StorageVersionMigration): string =>
  `${spec?.resource.group ?? ''}/${spec?.resource.resource ?? ''}`;

function newController(context: ControllerContext): Controller {
  const { informer } = context.informers.storagemigration.v1beta1.storageVersionMigrations;
  const migrator = new Migrator(context, name);
  const runner = new MigrationRunner(context);
  informer.addIndexers({ [byResource]: (migration: StorageVersionMigration) => [resourceOf(migration)] });
  // The metadata of all objects must be cached, because any resource may be migrated.
  context.monitors.subscribe({ wants: () => true, handlerFor: () => ({}) });

  const loop = (
    queue: string,
    workers: number,
    reconcile: (migration: StorageVersionMigration, signal: AbortSignal) => Promise<void>,
  ): ReconcileLoop =>
    new ReconcileLoop(context, {
      name: queue,
      workers,
      synced: [informer],
      async reconcile(key, signal) {
        const migration = informer.indexer.getByKey(key);
        if (migration) await reconcile(migration, signal);
      },
    });
  const checkpoints = loop('resource-version-controller', 1, (migration, signal) =>
    migrator.checkpoint(migration, signal),
  );
  const migrations = loop(name, 5, (migration, signal) => migrator.migrate(migration, signal));
  const turns = new ReconcileLoop(context, {
    name: 'migration-runner-controller',
    workers: 1,
    synced: [informer],
    reconcile: (resource, signal) => runner.reconcile(informer.indexer.byIndex(byResource, resource), signal),
  });

  const enqueue = (migration: StorageVersionMigration): void => {
    turns.queue.add(resourceOf(migration));
    checkpoints.add(migration);
    migrations.add(migration);
  };
  informer.addEventHandler({
    onAdd: enqueue,
    onUpdate: (_, migration) => enqueue(migration),
    onDelete: (deleted) => turns.queue.add(resourceOf(deletedObject(deleted))),
  });
  return {
    run: async (signal) => {
      await Promise.all([turns, checkpoints, migrations].map((one) => one.run(signal)));
    },
  };
}
