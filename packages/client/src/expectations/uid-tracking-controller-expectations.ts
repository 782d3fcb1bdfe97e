import { ControllerExpectations } from './controller-expectations.ts';

/**
 * Expectations that know which objects are to be deleted. An object whose deletion only begins (it has a grace period, or
 * finalizers) is seen twice, as changed and as gone; here it counts once.
 */
export class UIDTrackingControllerExpectations {
  /** Everything but deletions goes here directly. */
  readonly expectations: ControllerExpectations;
  /** Keys of the objects whose deletion was not seen yet; per controller as many as are expected. */
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

  /** Instead of what was expected before. Objects are named by any key that tells them apart, uid or namespace/name. */
  expectDeletions(controllerKey: string, deletedKeys: Iterable<string>): void {
    const uids = new Set(deletedKeys);
    this.#uids.set(controllerKey, uids);
    this.expectations.expectDeletions(controllerKey, uids.size);
  }

  /** Counts once for each object that is expected to go, and not at all for others. */
  deletionObserved(controllerKey: string, deletedKey: string): void {
    if (this.#uids.get(controllerKey)?.delete(deletedKey)) this.expectations.deletionObserved(controllerKey);
  }

  /** The objects whose deletion was not seen yet. */
  uids(controllerKey: string): ReadonlySet<string> {
    return this.#uids.get(controllerKey) ?? new Set();
  }

  deleteExpectations(controllerKey: string): void {
    this.expectations.deleteExpectations(controllerKey);
    this.#uids.delete(controllerKey);
  }
}
