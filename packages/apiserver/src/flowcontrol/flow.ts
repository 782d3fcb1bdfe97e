import type { UserInfo } from '@coxswain/api';
import type { FlowSchema } from '@coxswain/api/flowcontrol/v1';
import type { RequestInfo } from '../http/request-context.ts';
import type { FlowMetrics, FlowRecorder } from './flow-metrics.ts';
import { type FlowMatcher, flowSchemaMatcher } from './flow-schema-matcher.ts';
import type { PriorityLevel } from './priority-level.ts';
import { dealHand, flowHash } from './shuffle-sharding.ts';

/** The number of cached hands per schema. Dealing a hand costs more than everything else for a request. */
const maxHands = 1000;
const noHand: readonly number[] = [];
const onlyQueue: readonly number[] = [0];

/** A FlowSchema with its priority level. Replaced on every reconfiguration. */
export class Flow {
  readonly name: string;
  readonly uid: string;
  readonly level: PriorityLevel;
  readonly matches: FlowMatcher;
  readonly #distinguisher: string | undefined;
  readonly #metrics: FlowMetrics;
  readonly #hands = new Map<string, readonly number[]>();
  #recorder: FlowRecorder | undefined;

  constructor(schema: FlowSchema, level: PriorityLevel, metrics: FlowMetrics) {
    this.name = schema.metadata.name ?? '';
    this.uid = schema.metadata.uid ?? '';
    this.level = level;
    this.matches = flowSchemaMatcher(schema);
    this.#distinguisher = schema.spec?.distinguisherMethod?.type;
    this.#metrics = metrics;
  }

  get recorder(): FlowRecorder {
    this.#recorder ??= this.#metrics.flow(this.level.name, this.name);
    return this.#recorder;
  }

  /** Returns the flow distinguisher of a request. Empty when the level has at most one queue, so flows share it anyway. */
  distinguish(user: UserInfo, info: RequestInfo): string {
    const { queuing } = this.level;
    if (queuing.type !== 'queue' || queuing.queues <= 1) return '';
    if (this.#distinguisher === 'ByUser') return user.username;
    return this.#distinguisher === 'ByNamespace' ? info.namespace : '';
  }

  /** Returns the indexes of the queues that requests of this flow may wait in. */
  hand(distinguisher: string): readonly number[] {
    const { queuing } = this.level;
    if (queuing.type !== 'queue') return noHand;
    if (queuing.queues <= 1) return onlyQueue;
    let hand = this.#hands.get(distinguisher);
    if (!hand) {
      hand = dealHand(queuing.queues, queuing.handSize, flowHash(this.name, distinguisher));
      if (this.#hands.size >= maxHands) this.#hands.clear();
      this.#hands.set(distinguisher, hand);
    }
    return hand;
  }
}
