import type { Clock } from '@coxswain/apimachinery/clock';
import type { LevelRecorder } from './flow-metrics.ts';
import { FlowQueue } from './flow-queue.ts';
import { estimatedServiceMs, type FlowRequest } from './flow-request.ts';
import { Lingering } from './lingering.ts';
import { RequestList } from './request-list.ts';
import { SeatDemand } from './seat-demand.ts';
import { msPerSeat, type SeatSeconds, seatsTimesMs, toSeatSeconds } from './seat-seconds.ts';

/** How a priority level handles requests without a free seat. `exempt` levels have no limit. */
export type Queuing =
  | { readonly type: 'exempt' }
  | { readonly type: 'reject' }
  | { readonly type: 'queue'; readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number };

/** Above this number of queues, idle ones are deleted. This is visible only on the debug pages. */
const maxIdleQueues = 10_000;

/**
 * Fair queuing: assigns the seats of a priority level to requests. Every non-empty queue gets the same share of the work, in
 * virtual time: R is the work that each active queue should have received so far. The queue whose next request would finish
 * first in virtual time is next. The work of a request is its seats times the duration for which it holds them. It is estimated
 * at the start and corrected at the end.
 *
 * Everything happens synchronously: with a free seat, a request executes before `start` returns. A timer runs only while
 * requests wait for final seats of finished requests, which are released by time.
 */
export class QueueSet {
  readonly demand: SeatDemand;
  /** Executing requests, in the order of their start. */
  readonly executing = new RequestList<FlowRequest>();
  readonly totals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  readonly #clock: Clock;
  readonly #recorder: LevelRecorder;
  #queuing: Queuing = { type: 'reject' };
  #limit = 0;
  /** Queues that were used, by index. Queues beyond the configured number are deleted when they are idle. */
  readonly #queues = new Map<number, FlowQueue>();
  /** The queues with waiting requests. */
  readonly #backlog = new Set<FlowQueue>();
  readonly #lingering = new Lingering();
  #currentR: SeatSeconds = 0;
  #syncedMs: number;
  /** The index of the queue that was served last. With equal virtual finish times, the next higher index is served first. */
  #robin = -1;
  #enqueued = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  #seatsInUse = 0;
  /** The part of `#seatsInUse` that belongs to requests with a queue. */
  #queuedSeatsInUse = 0;
  #activeQueues = 0;
  #timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock, recorder: LevelRecorder) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#syncedMs = clock.monotonic();
    this.demand = new SeatDemand(this.#syncedMs);
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.executing.length === 0;
  }

  /** True when idle and no final seats of finished requests are in use. */
  get isDrained(): boolean {
    return this.isIdle && this.#seatsInUse === 0;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get currentR(): SeatSeconds {
    return this.#currentR;
  }

  get queuing(): Queuing {
    return this.#queuing;
  }

  /** Sorted by index. */
  get usedQueues(): readonly FlowQueue[] {
    return [...this.#queues.values()].sort((a, b) => a.index - b.index);
  }

  get limit(): number {
    return this.#limit;
  }

  /**
   * Applies a configuration. Waiting requests stay in their queues. `denominator` is the limit for metrics, which must not be zero.
   */
  configure(queuing: Queuing, limit: number, denominator: number): void {
    const now = this.sync();
    this.#queuing = queuing;
    this.#limit = limit;
    const room = queuing.type === 'queue' ? queuing.queues * Math.max(1, queuing.queueLengthLimit) : 1;
    this.#recorder.waiting.setDenominator(room, now);
    this.#recorder.executing.setDenominator(denominator, now);
    this.#recorder.seats.setDenominator(denominator, now);
    this.#recorder.demand.setDenominator(denominator, now);
    for (const queue of this.#queues.values()) this.#forgetIfUnwanted(queue);
    this.#dispatch(now);
  }

  /**
   * Starts a request. Afterwards it is executing, waiting or rejected. `hand` has the queues that it may wait in; it takes the one
   * with the least work.
   */
  start(request: FlowRequest, hand: readonly number[]): void {
    const now = this.sync();
    request.arrivedMs = now;
    request.arrivalR = this.#currentR;
    const queuing = this.#queuing;
    if (queuing.type !== 'queue') {
      if (queuing.type === 'exempt' || this.#hasRoomFor(request.maxSeats)) this.#execute(request, now);
      else this.#reject(request, 'concurrency-limit');
      return;
    }
    const queue = this.#leastLoaded(hand);
    const { waiting } = queue;
    if (this.#seatsInUse >= this.#limit && waiting.length >= queuing.queueLengthLimit) {
      this.#reject(request, 'queue-full');
      return;
    }
    const { queueing } = request.flow.recorder;
    queueing.queueLengths.observe(waiting.length + 1);
    request.queue = queue;
    if (queue.isIdle) {
      queue.nextDispatchR = this.#currentR;
      this.#activeQueues++;
    }
    if (this.#waiting === 0 && this.#seatsInUse < this.#limit && this.#hasRoomFor(request.maxSeats)) {
      // No other request is waiting, so this one need not be queued.
      if (queue.nextDispatchR < this.#currentR) queue.nextDispatchR = this.#currentR;
      const { nextDispatchR } = queue;
      const discounted = discountedStart(queue);
      this.#recordDispatch(nextDispatchR, nextDispatchR, nextDispatchR, discounted, discounted);
      this.#executeFrom(queue, request, now);
      return;
    }
    request.phase = 'waiting';
    queue.push(request);
    this.#backlog.add(queue);
    queue.boundNextDispatch();
    this.#waiting++;
    this.#seatsWaiting += request.maxSeats;
    queueing.waitingRequests.inc();
    queueing.waitingSeats.value += request.maxSeats;
    this.#recorder.waiting.set(this.#waiting, now);
    this.#recordDemand(now);
    this.#dispatch(now);
  }

  /**
   * Ends an executing request. Its seats are released now, or after `additionalLatencyMs`. Returns the current time.
   */
  finish(request: FlowRequest): number {
    const now = this.sync();
    request.phase = 'done';
    this.executing.remove(request);
    request.flow.recorder.executingRequests.dec();
    this.#recorder.executing.set(this.executing.length, now);
    const { queue } = request;
    if (queue) {
      queue.executing--;
      queue.nextDispatchR -= seatsTimesMs(request.initialSeats, estimatedServiceMs - (now - request.startedMs));
      queue.boundNextDispatch();
      if (queue.isIdle) this.#activeQueues--;
    }
    if (request.additionalLatencyMs > 0) this.#lingering.add(request, now + request.additionalLatencyMs);
    else this.#release(request, now);
    this.#dispatch(now);
    return now;
  }

  /** Removes a waiting request from its queue and rejects it. Does nothing in other phases. */
  cancel(request: FlowRequest, reason: 'time-out' | 'cancelled'): void {
    const { queue } = request;
    if (request.phase !== 'waiting' || !queue) return;
    const now = this.sync();
    // `sync` may have released seats and started this request.
    if (request.phase !== 'waiting') return;
    this.#dequeue(queue, request, now);
    if (queue.isIdle) this.#activeQueues--;
    queue.boundNextDispatch();
    this.#forgetIfUnwanted(queue);
    this.totals.cancelled++;
    this.#reject(request, reason);
    this.#recordDemand(now);
    // The request may have blocked smaller ones that now fit.
    this.#dispatch(now);
  }

  /** Rejects all waiting requests. */
  cancelAll(): void {
    for (const queue of [...this.#backlog]) for (const request of [...queue.waiting]) this.cancel(request, 'cancelled');
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Advances virtual time to now and releases seats that are due. Returns the current time. */
  sync(): number {
    const now = this.#clock.monotonic();
    let due = this.#lingering.next(now);
    while (due) {
      this.#advance(due.dueMs);
      this.#release(due.request, due.dueMs);
      this.#dispatch(due.dueMs);
      due = this.#lingering.next(now);
    }
    this.#advance(now);
    return now;
  }

  #advance(now: number): void {
    if (now <= this.#syncedMs) return;
    if (this.#activeQueues > 0) {
      const wanted = this.#queuedSeatsInUse + this.#seatsWaiting;
      const rate = Math.min(wanted, this.#limit) / this.#activeQueues;
      this.#currentR += seatsTimesMs(rate, now - this.#syncedMs);
    }
    this.#syncedMs = now;
  }

  /** Returns whether the seats are free. A request that needs more than the limit fits when no other executes. */
  #hasRoomFor(seats: number): boolean {
    if (seats > this.#limit) return this.executing.length === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  #leastLoaded(hand: readonly number[]): FlowQueue {
    // Starts at a different queue each time, so that flows with overlapping hands do not all choose the same one.
    const offset = this.#enqueued++ % hand.length;
    let best: FlowQueue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queue(hand[(offset + i) % hand.length]!);
      if (!best || queue.workWaiting < best.workWaiting) best = queue;
      if (best.workWaiting === 0) return best;
    }
    return best!;
  }

  #queue(index: number): FlowQueue {
    let queue = this.#queues.get(index);
    if (!queue) {
      queue = new FlowQueue(index);
      this.#queues.set(index, queue);
    }
    return queue;
  }

  /** Executes waiting requests while seats are free. */
  #dispatch(now: number): void {
    while (this.#waiting > 0 && this.#seatsInUse < this.#limit && this.#dispatchOne(now));
    if (this.#waiting > 0) this.#wakeForSeats(now);
  }

  #dispatchOne(now: number): boolean {
    let best: FlowQueue | undefined;
    let bestFinish = Number.POSITIVE_INFINITY;
    let bestTurn = 0;
    let [minS, maxS] = [Number.POSITIVE_INFINITY, 0];
    let [minDiscounted, maxDiscounted] = [Number.POSITIVE_INFINITY, 0];
    for (const queue of this.#backlog) {
      const start = queue.nextDispatchR;
      const discounted = discountedStart(queue);
      minS = Math.min(minS, start);
      maxS = Math.max(maxS, start);
      minDiscounted = Math.min(minDiscounted, discounted);
      maxDiscounted = Math.max(maxDiscounted, discounted);
      const finish = start + queue.waiting.first!.totalWork;
      const turn = queue.index > this.#robin ? queue.index : queue.index + 2 ** 27;
      if (finish < bestFinish || (finish === bestFinish && turn < bestTurn)) {
        best = queue;
        bestFinish = finish;
        bestTurn = turn;
      }
    }
    const request = best?.waiting.first;
    if (!best || !request) return false;
    if (!this.#hasRoomFor(request.maxSeats)) {
      // The next request waits until enough seats are free. Otherwise small requests would always overtake it.
      request.flow.recorder.queueing.noAccommodation.inc();
      return false;
    }
    this.#recordDispatch(best.nextDispatchR, minS, maxS, minDiscounted, maxDiscounted);
    this.#dequeue(best, request, now);
    this.#executeFrom(best, request, now);
    best.boundNextDispatch();
    const decide = request.onDecision;
    request.onDecision = undefined;
    decide?.(true);
    return true;
  }

  #dequeue(queue: FlowQueue, request: FlowRequest, now: number): void {
    queue.remove(request);
    if (queue.waiting.length === 0) this.#backlog.delete(queue);
    this.#waiting--;
    this.#seatsWaiting -= request.maxSeats;
    const { waitingRequests, waitingSeats } = request.flow.recorder.queueing;
    waitingRequests.dec();
    waitingSeats.value -= request.maxSeats;
    this.#recorder.waiting.set(this.#waiting, now);
  }

  #executeFrom(queue: FlowQueue, request: FlowRequest, now: number): void {
    if (request.finalSeats > this.#limit) {
      // The same work on fewer seats takes more time.
      request.additionalLatencyMs = msPerSeat(request.finalWork, this.#limit);
      request.finalSeats = this.#limit;
    }
    this.#robin = queue.index;
    queue.executing++;
    queue.seatsInUse += request.maxSeats;
    this.#queuedSeatsInUse += request.maxSeats;
    queue.nextDispatchR += request.totalWork;
    this.#execute(request, now);
  }

  #execute(request: FlowRequest, now: number): void {
    const { recorder } = request.flow;
    request.phase = 'executing';
    request.startedMs = now;
    this.executing.push(request);
    this.#seatsInUse += request.maxSeats;
    this.totals.dispatched++;
    recorder.dispatched.inc();
    recorder.executingRequests.inc();
    recorder.executingSeats.value += request.maxSeats;
    if (this.#queuing.type !== 'exempt') recorder.queueing.waits.observe((now - request.arrivedMs) / 1000);
    this.#recorder.executing.set(this.executing.length, now);
    this.#recorder.seats.set(this.#seatsInUse, now);
    this.#recordDemand(now);
  }

  #reject(request: FlowRequest, reason: string): void {
    request.phase = 'rejected';
    this.totals.rejected++;
    request.flow.recorder.rejected(reason);
    request.flow.recorder.waitedInVain((this.#syncedMs - request.arrivedMs) / 1000);
    const decide = request.onDecision;
    request.onDecision = undefined;
    decide?.(false);
  }

  #release(request: FlowRequest, now: number): void {
    const { queue, maxSeats } = request;
    this.#seatsInUse -= maxSeats;
    request.flow.recorder.executingSeats.value -= maxSeats;
    if (queue) {
      queue.seatsInUse -= maxSeats;
      this.#queuedSeatsInUse -= maxSeats;
      this.#forgetIfUnwanted(queue);
    }
    this.#recorder.seats.set(this.#seatsInUse, now);
    this.#recordDemand(now);
  }

  #forgetIfUnwanted(queue: FlowQueue): void {
    const wanted = this.#queuing.type === 'queue' ? this.#queuing.queues : 0;
    if (queue.index < wanted && this.#queues.size <= maxIdleQueues) return;
    if (queue.isIdle && queue.seatsInUse === 0) this.#queues.delete(queue.index);
  }

  #recordDemand(now: number): void {
    const demand = this.#seatsInUse + this.#seatsWaiting;
    this.demand.set(demand, now);
    this.#recorder.demand.set(demand, now);
  }

  #recordDispatch(
    start: SeatSeconds,
    minS: SeatSeconds,
    maxS: SeatSeconds,
    minDiscountedS: SeatSeconds,
    maxDiscountedS: SeatSeconds,
  ): void {
    const { dispatch } = this.#recorder;
    dispatch.dispatchR.value = toSeatSeconds(this.#currentR);
    dispatch.latestS.value = toSeatSeconds(start);
    dispatch.minS.value = toSeatSeconds(minS);
    dispatch.maxS.value = toSeatSeconds(maxS);
    dispatch.minDiscountedS.value = toSeatSeconds(minDiscountedS);
    dispatch.maxDiscountedS.value = toSeatSeconds(maxDiscountedS);
  }

  /** Sets a timer for the next release of final seats, which no call triggers. */
  #wakeForSeats(now: number): void {
    const dueMs = this.#lingering.nextDueMs;
    if (dueMs === undefined || (this.#timer && this.#timer.dueMs <= dueMs)) return;
    this.#timer?.cancel();
    const wake = (): void => {
      this.#timer = undefined;
      this.#dispatch(this.sync());
    };
    const { cancel } = this.#clock.setTimeout(wake, dueMs - now, { background: true });
    this.#timer = { dueMs, cancel };
  }
}

/** The virtual start of the next request, without the work of the executing ones. */
const discountedStart = (queue: FlowQueue): SeatSeconds =>
  queue.nextDispatchR - seatsTimesMs(queue.seatsInUse, estimatedServiceMs);
