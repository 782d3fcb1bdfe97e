import type { StorageVersionMigration } from '@coxswain/api/storagemigration/v1beta1';
import {
  isConflict,
  isInternalError,
  isNotFound,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  messageOf,
} from '@coxswain/apimachinery/errors';
import { GroupVersionResource } from '@coxswain/apimachinery/meta';
import { isNoMatchError } from '@coxswain/apimachinery/restmapper';
import { TransportError } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { compareResourceVersions, isOver, isRunning, reasons, withCondition } from './migration.ts';

/** How long a resource is given to be noticed, after its migration was asked for. */
const patienceMs = 60_000;
/** What a resource must be able to do to be migrated. */
const requiredVerbs = ['update', 'patch', 'list'];
/** No namespace is called like this. */
const nowhere = '@fake:svm_ns!';

/** A migration cannot go on, and trying again would not help. */
class MigrationError extends Error {}

/** Migrates a resource: every object that was written before the migration began is written once more as it is. */
export class Migrator {
  readonly #context: ControllerContext;
  readonly #name: string;

  /** `name` is who writes. */
  constructor(context: ControllerContext, name: string) {
    this.#context = context;
    this.#name = name;
  }

  /** Notes the version up to which objects are to be written again. */
  async checkpoint(migration: StorageVersionMigration, signal: AbortSignal): Promise<void> {
    if (!isRunning(migration) || isOver(migration) || migration.status?.resourceVersion) return;
    try {
      const resourceVersion = await this.#currentVersion(migration, signal);
      await this.#update({ ...migration, status: { ...migration.status, resourceVersion } }, signal);
    } catch (error) {
      if (!(error instanceof MigrationError)) throw error;
      await this.#fail(migration, error.message, signal);
    }
  }

  /** Writes them again, and notes how that ended. What may go better another time rejects. */
  async migrate(migration: StorageVersionMigration, signal: AbortSignal): Promise<void> {
    const upTo = migration.status?.resourceVersion;
    if (isOver(migration) || !upTo) return;
    try {
      await this.#rewriteAll(migration, upTo, signal);
    } catch (error) {
      if (!(error instanceof MigrationError)) throw error;
      await this.#fail(migration, `migration encountered unhandled error: ${error.message}`, signal);
      return;
    }
    const succeeded = { reason: reasons.succeeded, message: '', nowMs: this.#context.clock.now() };
    await this.#update(withCondition(migration, 'Succeeded', succeeded), signal);
  }

  async #currentVersion(migration: StorageVersionMigration, signal: AbortSignal): Promise<string> {
    const { discovery, metadata } = this.#context;
    const resource = await this.#resourceOf(migration, 'resource does not exist in discovery', signal);
    const { resources } = await discovery
      .resourcesFor(`${resource.groupVersion}`, { signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return { resources: [] };
        throw error;
      });
    const found = resources.find(({ name }) => name === resource.resource);
    if (!requiredVerbs.every((verb) => found?.verbs.includes(verb))) {
      const verbs = requiredVerbs.join(' ');
      throw new MigrationError(`resource "${described(resource)}" does not support discovery operations: [${verbs}]`);
    }
    const objects = metadata.resource(resource);
    const where = found?.namespaced ? objects.inNamespace(nowhere) : objects;
    const { resourceVersion = '' } = (await where.list({ limit: 1, signal })).metadata ?? {};
    comparable(resourceVersion, `latest resourceVersion for ${described(resource)} is not valid: `);
    return resourceVersion;
  }

  async #rewriteAll(migration: StorageVersionMigration, upTo: string, signal: AbortSignal): Promise<void> {
    const { dynamic, monitors } = this.#context;
    const resource = await this.#resourceOf(migration, 'unable to obtain GVR from discovery', signal);
    const monitor = monitors.get(resource);
    if (!monitor) throw new Error(`no monitor found for resource ${described(resource)}`);
    if (!monitor.informer.hasSynced()) throw this.#notYet(migration, 'resource does not exist in GC');
    const { lastSyncResourceVersion: seen } = monitor.informer;
    comparable(seen, 'error comparing resource versions between GC and SVM resource: ');
    if (compareResourceVersions(seen, upTo) < 0) {
      throw new Error(
        `GC cache is not up to date, requeuing to attempt again. gcListResourceVersion: ${seen}, listResourceVersion: ${upTo}`,
      );
    }
    const { group, version, kind, namespaced } = monitor.resource;
    const objects = dynamic.resource({ group, version, resource: monitor.resource.resource }, { kind, namespaced });
    for (const { metadata = {} } of monitor.informer.indexer.list()) {
      const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
      comparable(resourceVersion);
      if (compareResourceVersions(resourceVersion, upTo) > 0) continue;
      const where = namespaced ? objects.inNamespace(namespace) : objects;
      try {
        // The uid keeps it from being made again when it is gone, the version from being mistaken for another of its name.
        await where.apply({ metadata: { name, uid, resourceVersion } }, { fieldManager: this.#name, signal });
      } catch (error) {
        // Somebody else has written it, or it is gone.
        if (isConflict(error)) continue;
        signal.throwIfAborted();
        if (isPassing(error)) throw error;
        throw new MigrationError(messageOf(error), { cause: error });
      }
    }
  }

  /** In the version that the server prefers. */
  async #resourceOf(
    migration: StorageVersionMigration,
    complaint: string,
    signal: AbortSignal,
  ): Promise<GroupVersionResource> {
    const { group = '', resource = '' } = migration.spec?.resource ?? {};
    try {
      const all = await this.#context.mapper.resourcesFor(GroupVersionResource.of(group, '', resource), { signal });
      const found = all.find((one) => one.group === group && one.resource === resource);
      if (found) return found;
    } catch (error) {
      if (!isNoMatchError(error)) throw error;
    }
    throw this.#notYet(migration, complaint);
  }

  /** What is missing may come while the migration is young; later it is an error for good. */
  #notYet({ metadata }: StorageVersionMigration, complaint: string): Error {
    const isYoung = Date.parse(metadata.creationTimestamp ?? '') + patienceMs > this.#context.clock.now();
    return isYoung ? new Error(`${complaint}, requeuing to attempt again`) : new MigrationError(complaint);
  }

  async #fail(migration: StorageVersionMigration, message: string, signal: AbortSignal): Promise<void> {
    const failed = { reason: reasons.failed, message, nowMs: this.#context.clock.now() };
    await this.#update(withCondition(migration, 'Failed', failed), signal);
  }

  async #update(migration: StorageVersionMigration, signal: AbortSignal): Promise<void> {
    await this.#context.clients.storagemigration.v1beta1.storageVersionMigrations().updateStatus(migration, { signal });
  }
}

/** Throws a MigrationError when it is no version that can be compared. */
function comparable(version: string, context = ''): void {
  try {
    compareResourceVersions(version, version);
  } catch (error) {
    throw new MigrationError(`${context}${messageOf(error)}`, { cause: error });
  }
}

const described = ({ group, version, resource }: GroupVersionResource): string =>
  `${group}/${version}, Resource=${resource}`;

/** Whether it may well go better another time. */
const isPassing = (error: unknown): boolean =>
  error instanceof TransportError ||
  [isServerTimeout, isTooManyRequests, isServiceUnavailable, isInternalError, isTimeout].some((is) => is(error));
