import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { durationToMs } from '@coxswain/apimachinery/time';
import { systemRandom } from '@coxswain/apimachinery/random';
import {
  ClientSet,
  type Clock,
  CoreEventRecorder,
  childSignal,
  LeaderElector,
  LeaseLock,
  type Logger,
  type Metrics,
  noMetrics,
  RESTClient,
  systemClock,
} from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { withDefaults } from '@coxswain/component-base';
import { userAgentOf } from '@coxswain/component-base/version';
import type { SchedulerConfiguration } from '../config/types.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { Scheduler } from '../scheduler.ts';
import { formatConfiguration, loadConfiguration } from './load-configuration.ts';
import { type SchedulerCommandOptions, schedulerFlags } from './scheduler-flags.ts';
import { SchedulerServer } from './scheduler-server.ts';

/** What is not on the command line. */
export interface SchedulerEnvironment {
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Plug-ins beside those that are there, for profiles to enable. */
  readonly plugins?: readonly PluginDefinition[];
  /** Called when it begins to schedule: when caches are filled, and no other is the leader. */
  readonly onStarted?: () => void;
}

/**
 * Schedules until the signal is aborted; resolves when everything has ended, and the lease is given up. Throws an Error when
 * something that was given cannot be used, and when leadership is lost: whoever runs it should start again.
 */
export async function runScheduler(
  options: SchedulerCommandOptions,
  environment: SchedulerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const settings = withDefaults(schedulerFlags, options);
  const { logger, clock = systemClock, env = process.env, plugins = [], onStarted } = environment;
  setMaxListeners(0, signal);
  const config = await loadConfiguration(options, plugins);
  if (settings.writeConfigTo) {
    await writeFile(settings.writeConfigTo, formatConfiguration(config));
    logger.info(`wrote the configuration to ${settings.writeConfigTo}`);
    return;
  }
  const { kubeconfig, qps, burst } = config.clientConnection;
  const restConfig = await loadRestConfig({
    env,
    ...(kubeconfig && { path: kubeconfig }),
    ...(settings.master && { overrides: { cluster: { server: settings.master } } }),
  });
  const rest = RESTClient.forConfig({ ...restConfig, clock, userAgent: userAgentOf('kube-scheduler'), qps, burst });
  const server = await SchedulerServer.start({ settings, config, clock, logger, env, signal });
  const metrics = server?.metrics ?? noMetrics;
  const scheduler = new Scheduler({
    rest,
    config,
    plugins,
    clock,
    logger,
    metrics,
    podMaxInUnschedulablePodsMs: durationToMs(settings.podMaxInUnschedulablePodsDuration),
    onSynced: () => server?.synced(),
    ...(onStarted && { onStarted }),
  });
  try {
    if (config.leaderElection.leaderElect)
      await lead(scheduler, { config, rest, clock, logger, metrics, server }, signal);
    else await scheduler.run(signal);
  } finally {
    await server?.close();
    await rest.close();
  }
}

interface Election {
  readonly config: SchedulerConfiguration;
  readonly rest: RESTClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly server: SchedulerServer | undefined;
}

/** Schedules while this one is the leader. Its caches are filled before, so that it can take over at once. */
async function lead(scheduler: Scheduler, election: Election, signal: AbortSignal): Promise<void> {
  const { config, rest, clock, logger, metrics, server } = election;
  const { leaderElection, profiles, delayCacheUntilActive } = config;
  const clients = new ClientSet(rest);
  const recorder = new CoreEventRecorder({
    events: (namespace) => clients.core.v1.events(namespace).withoutAnswers(),
    source: { component: profiles[0]?.schedulerName ?? leaderElection.resourceName },
    clock,
    logger,
  });
  const own = childSignal({ parent: signal });
  let begin = (): void => {};
  const turn = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const run = (): Promise<void> => scheduler.run(own.signal, turn);
  let running = delayCacheUntilActive ? undefined : run();
  // What it fails with is told below; it must not end the process before.
  running?.catch(() => own.abort());
  const elector = new LeaderElector({
    lock: new LeaseLock({
      leases: clients.coordination.v1.leases(leaderElection.resourceNamespace),
      name: leaderElection.resourceName,
      identity: `${hostname()}_${systemRandom.uuid()}`,
      recorder,
    }),
    leaseDurationMs: durationToMs(leaderElection.leaseDuration),
    renewDeadlineMs: durationToMs(leaderElection.renewDeadline),
    retryPeriodMs: durationToMs(leaderElection.retryPeriod),
    releaseOnCancel: true,
    callbacks: {
      onStartedLeading: async (until) => {
        until.addEventListener('abort', () => own.abort(until.reason), { once: true });
        begin();
        running ??= run();
        await running;
      },
      onNewLeader: (identity) => logger.info(`the leader is ${identity || 'nobody'}`),
    },
    clock,
    logger,
    metrics,
  });
  server?.watchElection(elector);
  try {
    await elector.run(own.signal);
  } finally {
    own.abort();
    own.dispose();
    await running;
    await recorder.stop();
  }
  if (!signal.aborted) throw new Error('leader election lost');
}
