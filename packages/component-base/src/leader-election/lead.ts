import { hostname } from 'node:os';
import { systemRandom } from '@coxswain/apimachinery/random';
import { durationToMs } from '@coxswain/apimachinery/time';
import {
  ClientSet,
  type Clock,
  CoreEventRecorder,
  LeaderElector,
  LeaseLock,
  type Logger,
  type Metrics,
  type RESTClient,
  stopRecorder,
} from '@coxswain/client';

/** The LeaderElectionConfiguration of a component. */
export interface LeadSettings {
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
  /** The name of the Lease. */
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export interface LeadOptions {
  readonly settings: LeadSettings;
  readonly rest: RESTClient;
  /** The source of the leader election events. */
  readonly component: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called with the elector before it runs, for health checks. */
  readonly onElector?: ((elector: LeaderElector) => void) | undefined;
}

/**
 * Runs `work` while this process is the leader. The signal of `work` is aborted when leadership is lost. Resolves when `signal` is aborted
 * or leadership is lost, after `work` has ended and the lease is released.
 */
export async function lead(
  work: (signal: AbortSignal) => Promise<void>,
  { settings, rest, component, clock, logger, metrics, onElector }: LeadOptions,
  signal: AbortSignal,
): Promise<void> {
  const clients = new ClientSet(rest);
  const recorder = new CoreEventRecorder({
    events: (namespace) => clients.core.v1.events(namespace).withoutAnswers(),
    source: { component },
    clock,
    logger,
  });
  const elector = new LeaderElector({
    lock: new LeaseLock({
      leases: clients.coordination.v1.leases(settings.resourceNamespace),
      name: settings.resourceName,
      identity: `${hostname()}_${systemRandom.uuid()}`,
      recorder,
    }),
    leaseDurationMs: durationToMs(settings.leaseDuration),
    renewDeadlineMs: durationToMs(settings.renewDeadline),
    retryPeriodMs: durationToMs(settings.retryPeriod),
    releaseOnCancel: true,
    callbacks: {
      onStartedLeading: work,
      onNewLeader: (identity) => logger.info('New leader elected', { identity }),
    },
    clock,
    logger,
    metrics,
  });
  onElector?.(elector);
  try {
    await elector.run(signal);
  } finally {
    await stopRecorder(recorder, clock);
  }
}
