import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { isConflict, isNotFound, jsonEquals } from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { type EventLoop, nextTurn } from '@coxswain/apimachinery/turns';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Lister } from '../registry/lister.ts';
import { acceptNames } from './accepted-names.ts';
import {
  type Condition,
  findCondition,
  hasCondition,
  isConditionTrue,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import {
  approvalCondition,
  establishedCondition,
  nonStructuralCondition,
  notAcceptedCondition,
} from './definition-conditions.ts';
import type { InstanceDeletion } from './delete-instances.ts';
import { cleanupFinalizer, terminating } from './terminating.ts';

export interface DefinitionControllerOptions {
  readonly definitions: Lister<CustomResourceDefinition>;
  /** Resolves when `definitions` contains all earlier writes, also those of other servers. */
  readonly caughtUp: () => Promise<unknown>;
  /**
   * Writes the status and returns the stored definition. Rejects with an ApiError: Conflict after a concurrent change.
   */
  readonly updateStatus: (definition: CustomResourceDefinition) => Promise<CustomResourceDefinition>;
  /** Deletes all objects of an established definition. */
  readonly deleteInstances: (definition: CustomResourceDefinition, signal: AbortSignal) => Promise<InstanceDeletion>;
  /** Waits between the deletion of the objects and that of their definition. Rejects when the signal is aborted. */
  readonly pauseBeforeRemoval: (signal: AbortSignal) => Promise<unknown>;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
}

/** Maximum number of definitions whose schema condition is cached. */
const maxKnown = 5000;

/** The delay before a retry after an unexpected failure. */
const retryMs = 1000;

/** Definitions of built-in resources: their objects would have the same keys in the store. */
const overlapping: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
]);

/**
 * Writes the status of definitions: accepted names, Established, and problems of their schemas. Finalizes deleted ones
 * when their objects are deleted. It processes one definition at a time, so that no two get the same name.
 */
export class DefinitionController {
  readonly #options: DefinitionControllerOptions;
  readonly #waiting = new Set<string>();
  /** Definitions whose objects are being deleted. This runs in the background, since it may take any time. */
  readonly #finalizing = new Set<string>();
  readonly #timers = new Set<Timer>();
  /** The schema condition of a generation, by the definition's UID. */
  readonly #structure = new LruCache<string, { generation: number | undefined; condition: Condition | undefined }>(
    maxKnown,
  );
  readonly #stopped = new AbortController();
  #working: Promise<void> | undefined;

  constructor(options: DefinitionControllerOptions) {
    this.#options = options;
  }

  /** Queues the definition. */
  enqueue(name: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#waiting.add(name);
    this.#working ??= this.#work();
  }

  /** Queues all definitions of a group, after one of them has released names. */
  enqueueGroup(group: string): void {
    for (const { spec, metadata } of this.#options.definitions.list())
      if (spec.group === group && metadata.name) this.enqueue(metadata.name);
  }

  stop(): void {
    this.#stopped.abort(new Error('the server is shutting down'));
    this.#waiting.clear();
    for (const timer of this.#timers) timer.cancel();
  }

  async #work(): Promise<void> {
    // Runs after the current call, which reported a change.
    await Promise.resolve();
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      await this.#attempt(name, () => this.#sync(name));
      // Checking a large definition takes long: other work runs between two of them.
      if (this.#waiting.size > 0) await nextTurn(this.#options.eventLoop);
    }
    this.#working = undefined;
  }

  async #attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      // A change or deletion queues the definition again.
      if (isNotFound(error) || isConflict(error) || this.#stopped.signal.aborted) return;
      this.#options.logger.error('Failed to process CustomResourceDefinition', error, { crd: name });
      this.#retry(name);
    }
  }

  #retry(name: string): void {
    const again = (): void => {
      this.#timers.delete(timer);
      this.enqueue(name);
    };
    const timer = this.#options.clock.setTimeout(again, retryMs, { background: true });
    this.#timers.add(timer);
  }

  async #sync(name: string): Promise<void> {
    const { definitions, caughtUp } = this.#options;
    // Servers process definitions in the order of creation. With a current lister, all give a name to the same
    // definition.
    const known = definitions.get('', name);
    if (known && !hasItsNames(known)) await caughtUp();
    const definition = definitions.get('', name);
    if (!definition) return;
    const next = this.#withConditions(definition);
    if (!jsonEquals(next.status, definition.status)) {
      await this.#options.updateStatus(next);
      const keepsNames = jsonEquals(next.status?.acceptedNames, definition.status?.acceptedNames);
      if (!keepsNames) this.enqueueGroup(definition.spec.group);
      return;
    }
    if (!isToBeFinalized(definition) || this.#finalizing.has(name)) return;
    this.#finalizing.add(name);
    void this.#attempt(name, async () => {
      try {
        await this.#finalize(definition);
      } catch (error) {
        // The concurrent change was skipped while the definition was being finalized.
        if (isConflict(error)) this.enqueue(name);
        throw error;
      } finally {
        this.#finalizing.delete(name);
      }
    });
  }

  #withConditions(definition: CustomResourceDefinition): CustomResourceDefinition {
    const now = this.#options.now();
    let next = this.#withNames(definition, now);
    if (isConditionTrue(next, 'NamesAccepted') && !isConditionTrue(next, 'Established')) {
      const established = establishedCondition(next);
      if (!hasCondition(next, established)) next = withCondition(next, established, now);
    }
    const nonStructural = this.#nonStructural(next);
    if (nonStructural) {
      if (!hasCondition(next, nonStructural)) next = withCondition(next, nonStructural, now);
    } else if (findCondition(next, 'NonStructuralSchema')) next = withoutCondition(next, 'NonStructuralSchema');
    const approval = approvalCondition(next);
    return approval && !hasCondition(next, approval) ? withCondition(next, approval, now) : next;
  }

  /** Cached by generation, as it depends on the spec only and takes longest. */
  #nonStructural(definition: CustomResourceDefinition): Condition | undefined {
    const { uid, generation } = definition.metadata;
    const known = this.#structure.get(uid ?? '');
    if (known && known.generation === generation) return known.condition;
    const condition = nonStructuralCondition(definition);
    this.#structure.set(uid ?? '', { generation, condition });
    return condition;
  }

  #withNames(definition: CustomResourceDefinition, now: Date): CustomResourceDefinition {
    const { spec, status, metadata } = definition;
    if (hasItsNames(definition)) return definition;
    const others = this.#options.definitions
      .list()
      .filter((other) => other.spec.group === spec.group && other.metadata.name !== metadata.name)
      .flatMap((other) => other.status?.acceptedNames ?? []);
    const { names, condition } = acceptNames(definition, others);
    if (jsonEquals(names, status?.acceptedNames ?? {}) && hasCondition(definition, condition)) return definition;
    const named = withCondition({ ...definition, status: { ...status, acceptedNames: names } }, condition, now);
    return findCondition(named, 'Established') ? named : withCondition(named, notAcceptedCondition, now);
  }

  async #finalize(definition: CustomResourceDefinition): Promise<void> {
    const { updateStatus, now, deleteInstances, pauseBeforeRemoval } = this.#options;
    const inProgress = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
    const current = await updateStatus(withCondition(definition, inProgress, now()));
    let deletion = await this.#deletion(current, deleteInstances);
    // The pause is skipped when the definition changed while it was being finalized.
    if (!deletion.failed && !hasCondition(definition, inProgress)) {
      await pauseBeforeRemoval(this.#stopped.signal);
      // Another server on the same store may have created an object before it learned of the deletion.
      deletion = await this.#deletion(current, deleteInstances);
    }
    const { condition, failed } = deletion;
    const done = withCondition(current, condition, now());
    if (failed) {
      await updateStatus(done);
      this.#retry(definition.metadata.name ?? '');
      return;
    }
    const finalizers = (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
    await updateStatus({ ...done, metadata: { ...done.metadata, finalizers } });
  }

  async #deletion(
    definition: CustomResourceDefinition,
    deleteInstances: DefinitionControllerOptions['deleteInstances'],
  ): Promise<InstanceDeletion> {
    const done = (reason: string, message: string): InstanceDeletion => ({
      condition: terminating('False', reason, message),
      failed: false,
    });
    if (overlapping.has(`${definition.spec.names.plural}.${definition.spec.group}`))
      return done('OverlappingBuiltInResource', 'instances overlap with built-in resources in storage');
    if (!isConditionTrue(definition, 'Established')) return done('NeverEstablished', 'resource was never established');
    return deleteInstances(definition, this.#stopped.signal);
  }
}

const isToBeFinalized = ({ metadata }: CustomResourceDefinition): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(cleanupFinalizer) ?? false);

const hasItsNames = ({ spec, status }: CustomResourceDefinition): boolean =>
  jsonEquals(withoutEmpty(spec.names), withoutEmpty(status?.acceptedNames ?? {}));

/** Empty lists equal absent ones. */
const withoutEmpty = (names: object): object =>
  Object.fromEntries(Object.entries(names).filter(([, value]) => value && (!Array.isArray(value) || value.length > 0)));
