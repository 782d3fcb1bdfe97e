import { setMaxListeners } from 'node:events';
import { type Clock, type LeaderElector, type Logger, type Metrics, noMetrics, systemClock } from '@coxswain/client';
import type { Verbosity } from '@coxswain/apimachinery/log';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { withDefaults } from '@coxswain/component-base';
import { lead } from '@coxswain/component-base/leader-election';
import { userAgentOf } from '@coxswain/component-base/version';
import { allControllers, chosenControllers } from '../all-controllers.ts';
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { ControllerManager, defaultCoalesceMs } from '../framework/manager/controller-manager.ts';
import { ControllerClients } from './controller-clients.ts';
import {
  type ControllerManagerOptions,
  type ControllerManagerSettings,
  controllerManagerFlags,
} from './controller-manager-flags.ts';
import { controllerOptions } from './controller-options.ts';
import { ManagerServer } from './manager-server.ts';

/** The dependencies that do not come from the command line. */
export interface ControllerManagerEnvironment {
  readonly logger: Logger;
  /** The verbosity of the logger, which `/debug/flags/v` sets. */
  readonly verbosity?: Verbosity;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called when the controllers start: at once, or when this process has become the leader. */
  readonly onStarted?: () => void;
}

/**
 * Runs the controllers until the signal is aborted. Resolves when they have ended, recorded events have been sent as far as the
 * server accepts them, and the lease is released. Throws an Error when an option cannot be used, and when leadership is lost; the
 * caller should then start again.
 */
export async function runControllerManager(
  options: ControllerManagerOptions,
  environment: ControllerManagerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const settings = withDefaults(controllerManagerFlags, options);
  const { logger, verbosity, clock = systemClock, env = process.env, onStarted } = environment;
  // Every controller and informer adds a listener to the signal.
  setMaxListeners(0, signal);
  const controllers = chosenControllers(
    allControllers(await controllerOptions(settings, clock)),
    settings.controllers ?? ['*'],
  );
  const config = await loadRestConfig({
    env,
    ...(settings.kubeconfig && { path: settings.kubeconfig }),
    ...(settings.master && { overrides: { cluster: { server: settings.master } } }),
  });
  const server = await ManagerServer.start(settings, { clock, logger, verbosity, env });
  try {
    const clients = new ControllerClients({
      config: {
        ...config,
        userAgent: userAgentOf('kube-controller-manager'),
        qps: settings.kubeApiQps,
        burst: settings.kubeApiBurst,
      },
      usesServiceAccounts: settings.useServiceAccountCredentials,
      clock,
      logger,
      metrics: server?.metrics ?? noMetrics,
    });
    const manager: Manager = { clients, clock, logger, metrics: server?.metrics ?? noMetrics, server };
    const work = async (until: AbortSignal): Promise<void> => {
      await workWith(controllers, manager, until, onStarted);
    };
    await (settings.leaderElect ? workAsLeader(settings, manager, work, signal) : work(signal)).finally(() =>
      clients.close(),
    );
  } finally {
    await server?.close();
  }
}

interface Manager {
  readonly clients: ControllerClients;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly server: ManagerServer | undefined;
}

async function workWith(
  controllers: readonly ControllerDefinition[],
  { clients, server, ...common }: Manager,
  signal: AbortSignal,
  onStarted?: () => void,
): Promise<void> {
  await clients.ensureAccounts(controllers.map(({ name }) => name));
  common.logger.info('Starting controllers', { count: controllers.length });
  onStarted?.();
  const manager = new ControllerManager({
    ...common,
    rest: clients.root,
    clientBuilder: clients,
    controllers,
    coalesceMs: defaultCoalesceMs,
    onRunning: (names) => server?.addControllers(names),
  });
  await manager.run(signal);
}

/**
 * Runs the controllers while this process is the leader. Differs from upstream: the lease is released when they have ended, even
 * without the feature ControllerManagerReleaseLeaderElectionLockOnExit.
 */
async function workAsLeader(
  settings: ControllerManagerSettings,
  { clients, clock, logger, metrics, server }: Manager,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const election = {
    leaseDuration: settings.leaderElectLeaseDuration,
    renewDeadline: settings.leaderElectRenewDeadline,
    retryPeriod: settings.leaderElectRetryPeriod,
    resourceName: settings.leaderElectResourceName,
    resourceNamespace: settings.leaderElectResourceNamespace,
  };
  const options = {
    settings: election,
    rest: clients.clientOf('leader-election'),
    component: election.resourceName,
    clock,
    logger,
    metrics,
    onElector: (elector: LeaderElector) => server?.watchElection(elector),
  };
  await lead(work, options, signal);
  if (!signal.aborted) throw new Error('leader election lost');
}
