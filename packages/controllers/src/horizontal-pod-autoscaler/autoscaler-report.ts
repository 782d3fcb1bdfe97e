import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '@coxswain/api/autoscaling/v2';
import { messageOf } from '@coxswain/apimachinery/errors';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { EventRecorder } from '@coxswain/client';
import { withCondition, withoutCondition } from './conditions.ts';

const kind = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' };

type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited' | 'ScaledToZero';

/** What an autoscaler tells of one look at its target: by its status, and by events at once. */
export class AutoscalerReport {
  /** What is wrong although the look is through. */
  problem: Error | undefined;
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #recorder: EventRecorder;
  readonly #now: string;
  #status: HorizontalPodAutoscalerStatus;
  /** What was measured this time. */
  #metrics: MetricStatus[] | undefined;

  constructor(autoscaler: HorizontalPodAutoscaler, recorder: EventRecorder, now: number) {
    this.#autoscaler = autoscaler;
    this.#recorder = recorder;
    this.#now = timeFromDate(new Date(now));
    this.#status = autoscaler.status ?? { desiredReplicas: 0 };
  }

  get status(): HorizontalPodAutoscalerStatus {
    return this.#status;
  }

  set(type: ConditionType, status: 'True' | 'False', reason: string, message: string): void {
    const conditions = withCondition(this.#status.conditions ?? [], { type, status, reason, message }, this.#now);
    this.#status = { ...this.#status, conditions };
  }

  remove(type: ConditionType): void {
    this.#status = { ...this.#status, conditions: withoutCondition(this.#status.conditions ?? [], type) };
  }

  warn(reason: string, message: string): void {
    this.#recorder.event(this.#autoscaler, 'Warning', reason, message, { kind });
  }

  /** What the status says of sizes. Metrics of another time are left out of it. */
  setReplicas(currentReplicas: number, desiredReplicas: number): void {
    const { lastScaleTime, conditions = [] } = this.#status;
    this.#status = {
      // What the server leaves out of a status must not look like a change of it.
      ...(currentReplicas !== 0 && { currentReplicas }),
      desiredReplicas,
      ...(lastScaleTime !== undefined && { lastScaleTime }),
      ...(this.#metrics && { currentMetrics: this.#metrics }),
      conditions,
    };
  }

  setMetrics(currentMetrics: MetricStatus[]): void {
    this.#metrics = currentMetrics;
    this.#status = { ...this.#status, currentMetrics };
  }

  failedGetScale(error: unknown): void {
    const problem = messageOf(error);
    this.warn('FailedGetScale', problem);
    const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
    this.set('AbleToScale', 'False', 'FailedGetScale', message);
  }

  unableToCompute(reason: string, problem: string): void {
    this.set('ScalingActive', 'False', reason, `the HPA was unable to compute the replica count: ${problem}`);
  }

  failedToCompute(problem: string): void {
    this.warn('FailedComputeMetricsReplicas', problem);
    const { namespace, name } = this.#autoscaler.metadata;
    this.problem = new Error(`failed to compute desired number of replicas for ${namespace}/${name}: ${problem}`);
  }

  failedRescale(replicas: number, reason: string, error: unknown): void {
    const problem = messageOf(error);
    this.warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${problem}`);
    const message = `the HPA controller was unable to update the target scale: ${problem}`;
    this.set('AbleToScale', 'False', 'FailedUpdateScale', message);
  }

  rescaled(from: number, to: number, reason: string): void {
    const message = `the HPA controller was able to update the target scale to ${to}`;
    this.set('AbleToScale', 'True', 'SucceededRescale', message);
    const news = `New size: ${to}; reason: ${reason}`;
    this.#recorder.event(this.#autoscaler, 'Normal', 'SuccessfulRescale', news, { kind });
    this.remove('ScaledToZero');
    this.setReplicas(from, to);
    this.#status = { ...this.#status, lastScaleTime: this.#now };
  }
}
