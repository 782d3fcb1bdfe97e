import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Verbosity } from '@coxswain/apimachinery/log';
import { durationToMs } from '@coxswain/apimachinery/time';
import {
  type Clock,
  childSignal,
  type LeaderElector,
  type Logger,
  type Metrics,
  noMetrics,
  RESTClient,
  systemClock,
} from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { withDefaults } from '@coxswain/component-base';
import { lead } from '@coxswain/component-base/leader-election';
import { userAgentOf } from '@coxswain/component-base/version';
import type { SchedulerConfiguration } from '../config/types.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { Scheduler } from '../scheduler.ts';
import { formatConfiguration, loadConfiguration } from './load-configuration.ts';
import { type SchedulerCommandOptions, schedulerFlags } from './scheduler-flags.ts';
import { SchedulerServer } from './scheduler-server.ts';

/** The dependencies that are not given by flags. */
export interface SchedulerEnvironment {
  readonly logger: Logger;
  /** The logger's verbosity, which `/debug/flags/v` sets. */
  readonly verbosity?: Verbosity;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Plug-ins besides the in-tree ones. Profiles must enable them. */
  readonly plugins?: readonly PluginDefinition[];
  /** Called when scheduling begins: after caches are synced, and after this process has become the leader. */
  readonly onStarted?: () => void;
}

/**
 * Schedules until the signal is aborted; resolves when all work has ended and the lease is released. Throws an Error when an option cannot
 * be used, and when leadership is lost: the process should then be restarted.
 */
export async function runScheduler(
  options: SchedulerCommandOptions,
  environment: SchedulerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const settings = withDefaults(schedulerFlags, options);
  const { logger, verbosity, clock = systemClock, env = process.env, plugins = [], onStarted } = environment;
  setMaxListeners(0, signal);
  const config = await loadConfiguration(options, plugins);
  if (settings.writeConfigTo) {
    await writeFile(settings.writeConfigTo, formatConfiguration(config));
    logger.info('Wrote configuration to file', { file: settings.writeConfigTo });
    return;
  }
  const { kubeconfig, qps, burst } = config.clientConnection;
  const restConfig = await loadRestConfig({
    env,
    ...(kubeconfig && { path: kubeconfig }),
    ...(settings.master && { overrides: { cluster: { server: settings.master } } }),
  });
  const rest = RESTClient.forConfig({ ...restConfig, clock, userAgent: userAgentOf('kube-scheduler'), qps, burst });
  const server = await SchedulerServer.start({ settings, config, clock, logger, verbosity, env, signal });
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
      await scheduleAsLeader(scheduler, { config, rest, clock, logger, metrics, server }, signal);
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

/** Schedules while this process is the leader. Caches are synced before, so that it can take over at once. */
async function scheduleAsLeader(scheduler: Scheduler, election: Election, signal: AbortSignal): Promise<void> {
  const { config, rest, clock, logger, metrics, server } = election;
  const { leaderElection, profiles, delayCacheUntilActive } = config;
  const own = childSignal({ parent: signal });
  let begin = (): void => {};
  const turn = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const run = (): Promise<void> => scheduler.run(own.signal, turn);
  let running = delayCacheUntilActive ? undefined : run();
  // The error is rethrown by `await running` below. Without this handler it would be an unhandled rejection, which ends the process.
  running?.catch(() => own.abort());
  const work = async (until: AbortSignal): Promise<void> => {
    until.addEventListener('abort', () => own.abort(until.reason), { once: true });
    begin();
    running ??= run();
    await running;
  };
  const options = {
    settings: leaderElection,
    rest,
    component: profiles[0]?.schedulerName ?? leaderElection.resourceName,
    clock,
    logger,
    metrics,
    onElector: (elector: LeaderElector) => server?.watchElection(elector),
  };
  try {
    await lead(work, options, own.signal);
  } finally {
    own.abort();
    own.dispose();
    await running;
  }
  if (!signal.aborted) throw new Error('leader election lost');
}
