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

/** How long after the creation of a migration its resource may be unknown. */
const patienceMs = 60_000;
/** The verbs that a migrated resource must support. */
const requiredVerbs = ['update', 'patch', 'list'];
/** An impossible namespace name. A list in it returns only the current resourceVersion. */
const nowhere = '@fake:svm_ns!';

/** A permanent failure of a migration. It is not retried. */
class MigrationError extends Error {}

/** Migrates a resource: rewrites every object that was last written before the migration started, without changes. */
export class Migrator {
  readonly #context: ControllerContext;
  readonly #name: string;

  /** `name` is the field manager of the writes. */
  constructor(context: ControllerContext, name: string) {
    this.#context = context;
    this.#name = name;
  }

  /** Records the resourceVersion up to which objects are rewritten. */
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

  /** Rewrites the objects and records the outcome. Rejects with errors that may be temporary. */
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
        // The uid prevents that a deleted object is created again. The resourceVersion causes a conflict if the object was
        // written since.
        await where.apply({ metadata: { name, uid, resourceVersion } }, { fieldManager: this.#name, signal });
      } catch (error) {
        // The object was written by another client or deleted: nothing to do.
        if (isConflict(error)) continue;
        signal.throwIfAborted();
        if (isPassing(error)) throw error;
        throw new MigrationError(messageOf(error), { cause: error });
      }
    }
  }

  /** Returns the resource in the version that the server prefers. */
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

  /** Returns a retryable error while the migration is young, because the resource may appear, and a permanent one later. */
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

/** Throws a MigrationError when the resourceVersion is malformed. */
function comparable(version: string, context = ''): void {
  try {
    compareResourceVersions(version, version);
  } catch (error) {
    throw new MigrationError(`${context}${messageOf(error)}`, { cause: error });
  }
}

const described = ({ group, version, resource }: GroupVersionResource): string =>
  `${group}/${version}, Resource=${resource}`;

/** Whether the error may be temporary. */
const isPassing = (error: unknown): boolean =>
  error instanceof TransportError ||
  [isServerTimeout, isTooManyRequests, isServiceUnavailable, isInternalError, isTimeout].some((is) => is(error));
