import type { UserInfo } from '@coxswain/api';
import type { RequestInfo } from '../http/request-context.ts';
import type { Flow } from './flow.ts';
import type { FlowQueue } from './flow-queue.ts';
import type { Linked } from './request-list.ts';
import { type SeatSeconds, seatsTimesMs } from './seat-seconds.ts';

/** Nobody knows beforehand how long a request takes; this is put right when it is done. */
export const estimatedServiceMs = 3;

/**
 * One request on its way through a priority level. `rejected` and `done` are final; what is `waiting` becomes
 * `executing` or `rejected`.
 */
export class FlowRequest implements Linked<FlowRequest> {
  readonly flow: Flow;
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly distinguisher: string;
  phase: 'new' | 'waiting' | 'executing' | 'rejected' | 'done' = 'new';
  /** Seats while it is being answered, and afterwards, while watchers hear of what it did. */
  initialSeats = 1;
  finalSeats = 0;
  additionalLatencyMs = 0;
  /** Of those that wait, or come from, a queue. */
  queue: FlowQueue | undefined;
  arrivedMs = 0;
  startedMs = 0;
  arrivalR: SeatSeconds = 0;
  /** Told once, when a request that waited need not wait any longer. */
  onDecision: ((execute: boolean) => void) | undefined;
  previous: FlowRequest | undefined;
  next: FlowRequest | undefined;

  constructor(flow: Flow, distinguisher: string, user: UserInfo, info: RequestInfo) {
    this.flow = flow;
    this.distinguisher = distinguisher;
    this.user = user;
    this.info = info;
  }

  get maxSeats(): number {
    return this.initialSeats > this.finalSeats ? this.initialSeats : this.finalSeats;
  }

  get finalWork(): SeatSeconds {
    return this.additionalLatencyMs === 0 ? 0 : seatsTimesMs(this.finalSeats, this.additionalLatencyMs);
  }

  get totalWork(): SeatSeconds {
    return seatsTimesMs(this.initialSeats, estimatedServiceMs) + this.finalWork;
  }
}
