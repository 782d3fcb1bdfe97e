import { ControllerExpectations } from './controller-expectations.ts';

/**
 * Expectations that track which objects are to be deleted. A graceful deletion (grace period or finalizers) is observed
 * twice, as an update and as a delete; here it counts once.
 */
export class UIDTrackingControllerExpectations {
  /** The underlying expectations. Use them directly for everything but deletions. */
  readonly expectations: ControllerExpectations;
  /** Per controller, the keys of the objects whose deletion was not observed yet. */
  readonly #uids = new Map<string, Set<string>>();

  constructor(expectations: ControllerExpectations = new ControllerExpectations()) {
    this.expectations = expectations;
  }

  /** Whether the controller may act. */
  satisfied(controllerKey: string): boolean {
    return this.expectations.satisfied(controllerKey);
  }

  expectCreations(controllerKey: string, creations: number): void {
    this.expectations.expectCreations(controllerKey, creations);
  }

  creationObserved(controllerKey: string): void {
    this.expectations.creationObserved(controllerKey);
  }

  /**
   * Replaces the expectations. The keys can be anything that identifies an object, such as the UID or namespace/name.
   */
  expectDeletions(controllerKey: string, deletedKeys: Iterable<string>): void {
    const uids = new Set(deletedKeys);
    this.#uids.set(controllerKey, uids);
    this.expectations.expectDeletions(controllerKey, uids.size);
  }

  /** Counts an expected deletion once. Ignores other objects. */
  deletionObserved(controllerKey: string, deletedKey: string): void {
    if (this.#uids.get(controllerKey)?.delete(deletedKey)) this.expectations.deletionObserved(controllerKey);
  }

  /** Keys of the objects whose deletion was not observed yet. */
  uids(controllerKey: string): ReadonlySet<string> {
    return this.#uids.get(controllerKey) ?? new Set();
  }

  deleteExpectations(controllerKey: string): void {
    this.expectations.deleteExpectations(controllerKey);
    this.#uids.delete(controllerKey);
  }
}
