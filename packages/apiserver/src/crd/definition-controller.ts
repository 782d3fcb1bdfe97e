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
  /** Resolves when `definitions` knows of everything that was written before, by other servers too. */
  readonly caughtUp: () => Promise<unknown>;
  /** Writes the status, and gives what was stored. Rejects with an ApiError, Conflict if it was changed meanwhile. */
  readonly updateStatus: (definition: CustomResourceDefinition) => Promise<CustomResourceDefinition>;
  /** Deletes all objects of a definition that is established. */
  readonly deleteInstances: (definition: CustomResourceDefinition, signal: AbortSignal) => Promise<InstanceDeletion>;
  /** Waits when the objects of a deleted definition are gone, before it goes itself; rejects when the signal is aborted. */
  readonly pauseBeforeRemoval: (signal: AbortSignal) => Promise<unknown>;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
}

/** Of so many definitions it is remembered what is wrong with their schemas. */
const maxKnown = 5000;

/** When something failed that should not, it is tried again after this. */
const retryMs = 1000;

/** Definitions of what the server has anyway; in the store, their objects would be those. */
const overlapping: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
]);

/**
 * Says in the status of definitions what became of them: which names they have, whether objects can be had, what is wrong
 * with their schemas; and lets those that are deleted go when their objects are gone. One definition after the other, so
 * that two cannot have the same name.
 */
export class DefinitionController {
  readonly #options: DefinitionControllerOptions;
  readonly #waiting = new Set<string>();
  /** Definitions whose objects are being deleted, which may take as long as it takes. */
  readonly #finalizing = new Set<string>();
  readonly #timers = new Set<Timer>();
  /** By uid, what was found out about the schemas of a generation. */
  readonly #structure = new LruCache<string, { generation: number | undefined; condition: Condition | undefined }>(
    maxKnown,
  );
  readonly #stopped = new AbortController();
  #working: Promise<void> | undefined;

  constructor(options: DefinitionControllerOptions) {
    this.#options = options;
  }

  /** Looks at the definition when it is its turn. */
  enqueue(name: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#waiting.add(name);
    this.#working ??= this.#work();
  }

  /** The others of a group may get names that somebody gave up. */
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
    // Whoever changed something goes on first.
    await Promise.resolve();
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      await this.#attempt(name, () => this.#sync(name));
      // To look at a large definition takes a while, and there may be many: others come in between.
      if (this.#waiting.size > 0) await nextTurn(this.#options.eventLoop);
    }
    this.#working = undefined;
  }

  async #attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      // Deleted or changed meanwhile: its turn comes again.
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
    // All servers look at definitions in the order of their making: with that, they give a name to the same one.
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
        // What happened meanwhile was not looked at.
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

  /** It depends on the spec alone, and takes the longest of all. */
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
    // Not again where somebody changed the definition meanwhile.
    if (!deletion.failed && !hasCondition(definition, inProgress)) {
      await pauseBeforeRemoval(this.#stopped.signal);
      // Another server over the same store may have taken a last object before it heard of the deletion.
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

/** Lists that are empty say as much as lists that are absent. */
const withoutEmpty = (names: object): object =>
  Object.fromEntries(Object.entries(names).filter(([, value]) => value && (!Array.isArray(value) || value.length > 0)));
