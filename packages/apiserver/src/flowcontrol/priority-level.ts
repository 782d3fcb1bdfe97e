import type { PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import type { Clock } from '@coxswain/apimachinery/clock';
import { DroppedRequests } from './dropped-requests.ts';
import type { FlowMetrics } from './flow-metrics.ts';
import type { LevelLimits } from './level-limits.ts';
import { QueueSet, type Queuing } from './queue-set.ts';

/** A priority level. It lives from its first configuration until, after deletion, its last request is done. */
export class PriorityLevel {
  readonly name: string;
  readonly queueSet: QueueSet;
  readonly dropped = new DroppedRequests();
  configuration: PriorityLevelConfiguration;
  queuing: Queuing;
  limits: LevelLimits = { nominal: 0, min: 0, max: 0, maxSeatsPerRequest: 0 };
  /** True after the level was deleted, while it still has requests. It gets no new ones. */
  quiescing = false;

  constructor(
    name: string,
    configuration: PriorityLevelConfiguration,
    queuing: Queuing,
    clock: Clock,
    metrics: FlowMetrics,
  ) {
    this.name = name;
    this.configuration = configuration;
    this.queuing = queuing;
    this.queueSet = new QueueSet(clock, metrics.level(name));
  }

  get uid(): string {
    return this.configuration.metadata.uid ?? '';
  }

  get isExempt(): boolean {
    return this.queuing.type === 'exempt';
  }
}
