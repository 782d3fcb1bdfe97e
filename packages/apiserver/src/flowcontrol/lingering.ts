import type { FlowRequest } from './flow-request.ts';

interface Lingerer {
  readonly request: FlowRequest;
  readonly dueMs: number;
}

/** Finished requests whose final seats are still in use, ordered by the time at which these are released. */
export class Lingering {
  /** In descending order of `dueMs`. */
  readonly #lingerers: Lingerer[] = [];

  add(request: FlowRequest, dueMs: number): void {
    // Usually the new request is due last, so it goes to the front.
    let place = 0;
    while (place < this.#lingerers.length && this.#lingerers[place]!.dueMs > dueMs) place++;
    this.#lingerers.splice(place, 0, { request, dueMs });
  }

  get nextDueMs(): number | undefined {
    return this.#lingerers.at(-1)?.dueMs;
  }

  /** Removes and returns the earliest request that is due, or undefined. */
  next(now: number): Lingerer | undefined {
    const last = this.#lingerers.at(-1);
    return last && last.dueMs <= now ? this.#lingerers.pop() : undefined;
  }
}
