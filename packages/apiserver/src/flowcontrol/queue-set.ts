import type { Clock } from '@coxswain/apimachinery/clock';
import type { LevelRecorder } from './flow-metrics.ts';
import { FlowQueue } from './flow-queue.ts';
import { estimatedServiceMs, type FlowRequest } from './flow-request.ts';
import { Lingering } from './lingering.ts';
import { RequestList } from './request-list.ts';
import { SeatDemand } from './seat-demand.ts';
import { msPerSeat, type SeatSeconds, seatsTimesMs, toSeatSeconds } from './seat-seconds.ts';

/** What a priority level does with those for whom there is no seat. */
export type Queuing =
  | { readonly type: 'exempt' }
  | { readonly type: 'reject' }
  | { readonly type: 'queue'; readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number };

/** Of more than this, what is empty is forgotten; it matters only to whoever looks at it. */
const maxIdleQueues = 10_000;

/**
 * Fair queuing: gives the seats of a priority level to requests. Each queue that has any gets the same share of the work
 * that is done, in virtual time: R is the work that each has had coming so far, and the queue whose next request would
 * be done first in that time is next. A request's work is its seats times the time it holds them, estimated when it
 * starts and put right when it is done.
 *
 * Everything happens in the call that causes it: with a seat free, a request is let in before `start` returns. A timer
 * runs only while somebody waits for seats that nobody will give back by a call.
 */
export class QueueSet {
  readonly demand: SeatDemand;
  /** Those being answered, in the order in which they were let in. */
  readonly executing = new RequestList<FlowRequest>();
  readonly totals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  readonly #clock: Clock;
  readonly #recorder: LevelRecorder;
  #queuing: Queuing = { type: 'reject' };
  #limit = 0;
  /** Queues that were ever used, in bounds; those beyond the configured number only until they are empty. */
  readonly #queues = new Map<number, FlowQueue>();
  /** Those in which somebody waits. */
  readonly #backlog = new Set<FlowQueue>();
  readonly #lingering = new Lingering();
  #currentR: SeatSeconds = 0;
  #syncedMs: number;
  /** Of the queue that had the last turn: with the same virtual time, others are first. */
  #robin = -1;
  #enqueued = 0;
  #waiting = 0;
  #seatsWaiting = 0;
  #seatsInUse = 0;
  /** Those of `#seatsInUse` that were got through a queue. */
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

  /** Idle, and nobody holds on to a seat after their answer. */
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

  /** In the order of their numbers. */
  get usedQueues(): readonly FlowQueue[] {
    return [...this.#queues.values()].sort((a, b) => a.index - b.index);
  }

  get limit(): number {
    return this.#limit;
  }

  /**
   * Those who wait go on waiting, in the queues in which they are. `denominator`: what metrics take for the limit.
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
   * A request comes. Afterwards it is executing, waiting or rejected. `hand`: the queues that it may wait in, of which
   * it takes the one with the least work.
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
      // Nobody else's turn could come before: no need to queue.
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
   * A request that was executing has been answered. Its seats are free now, or when watchers have heard of it. Gives the
   * time.
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

  /** A request that waits gives up. What does not wait is left alone. */
  cancel(request: FlowRequest, reason: 'time-out' | 'cancelled'): void {
    const { queue } = request;
    if (request.phase !== 'waiting' || !queue) return;
    const now = this.sync();
    // The time that has passed may have been what it waited for.
    if (request.phase !== 'waiting') return;
    this.#dequeue(queue, request, now);
    if (queue.isIdle) this.#activeQueues--;
    queue.boundNextDispatch();
    this.#forgetIfUnwanted(queue);
    this.totals.cancelled++;
    this.#reject(request, reason);
    this.#recordDemand(now);
    // It may have been too large for the seats that others can have.
    this.#dispatch(now);
  }

  /** All who wait are rejected. */
  cancelAll(): void {
    for (const queue of [...this.#backlog]) for (const request of [...queue.waiting]) this.cancel(request, 'cancelled');
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Brings everything to the present time, which it gives. */
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

  /** What wants more than there is gets all, once it is alone. */
  #hasRoomFor(seats: number): boolean {
    if (seats > this.#limit) return this.executing.length === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  #leastLoaded(hand: readonly number[]): FlowQueue {
    // The order changes: flows whose hands overlap do not all go for the same queue.
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

  /** Lets in as many as there are seats for. */
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
      // Whose turn it is waits until there are enough; else small ones would always be first.
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
      // The same work on fewer seats takes longer.
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

  /** Seats that linger become free without anybody's doing. */
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

/** When its next request would start if what it has under way did not count. */
const discountedStart = (queue: FlowQueue): SeatSeconds =>
  queue.nextDispatchR - seatsTimesMs(queue.seatsInUse, estimatedServiceMs);
