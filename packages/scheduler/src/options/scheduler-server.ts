import type { Verbosity } from '@coxswain/apimachinery/log';
import type { Clock, LeaderElector, Logger } from '@coxswain/client';
import { camelCase } from '@coxswain/component-base';
import { parseFeatureGates } from '@coxswain/component-base/features';
import { ComponentHealth, type HealthCheck } from '@coxswain/component-base/health';
import { HealthMetrics, kubernetesBuildInfo, MetricsRegistry } from '@coxswain/component-base/metrics';
import { type ComponentServer, componentPages, startComponentServer } from '@coxswain/component-base/serving';
import { configurationKind } from '../config/configuration-kind.ts';
import type { SchedulerConfiguration } from '../config/types.ts';
import { type SchedulerSettings, schedulerFlags } from './scheduler-flags.ts';

const component = 'kube-scheduler';
/** How long after its lease has expired a leader still counts as healthy. */
const electionToleranceMs = 20_000;

export interface SchedulerServerOptions {
  readonly settings: SchedulerSettings;
  readonly config: SchedulerConfiguration;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly verbosity?: Verbosity | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the scheduler shall stop. */
  readonly signal: AbortSignal;
}

/** The port that serves the scheduler's health, metrics and configuration. */
export class SchedulerServer {
  readonly metrics: MetricsRegistry;
  readonly #server: ComponentServer;
  readonly #checked: CheckedParts;

  private constructor(metrics: MetricsRegistry, server: ComponentServer, checked: CheckedParts) {
    this.metrics = metrics;
    this.#server = server;
    this.#checked = checked;
  }

  /** Undefined for `--secure-port=0`. Throws like `startComponentServer`. */
  static async start(options: SchedulerServerOptions): Promise<SchedulerServer | undefined> {
    const { settings, config, clock, logger, verbosity, env, signal } = options;
    if (settings.securePort === 0) return undefined;
    const now = (): Date => new Date(clock.now());
    const metrics = new MetricsRegistry(now);
    metrics.register([kubernetesBuildInfo()]);
    const healthMetrics = new HealthMetrics();
    const checked: CheckedParts = { isSynced: false };
    const election = config.leaderElection.leaderElect ? [electionCheck(checked)] : [];
    const health = new ComponentHealth({
      endpoints: {
        healthz: election,
        livez: [],
        readyz: [...election, shutdownCheck(signal), syncCheck(checked)],
      },
      hasSubpaths: true,
      onResult: healthMetrics.record,
    });
    const gates = parseFeatureGates(settings.featureGates);
    const values: Readonly<Record<string, unknown>> = settings;
    const handler = componentPages({
      component,
      health,
      healthMetrics,
      metrics,
      configuration: { componentconfig: { ...configurationKind, ...config } },
      flags: Object.fromEntries(Object.keys(schedulerFlags).map((name) => [name, values[camelCase(name)]])),
      features: {
        ComponentFlagz: gates.enabled('ComponentFlagz'),
        ComponentStatusz: gates.enabled('ComponentStatusz'),
      },
      profiling: config.enableProfiling,
      ...(verbosity && { verbosity }),
      now,
    });
    const server = await startComponentServer({ component, settings, handler, clock, logger, metrics, env });
    logger.info('Serving securely', { port: server.port });
    return new SchedulerServer(metrics, server, checked);
  }

  /** From now on `/healthz` and `/readyz` fail when the leader does not renew its lease in time. */
  watchElection(elector: Pick<LeaderElector, 'check'>): void {
    this.#checked.elector = elector;
  }

  /** Marks all caches as synced. */
  synced(): void {
    this.#checked.isSynced = true;
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** The state that health checks examine. */
interface CheckedParts {
  elector?: Pick<LeaderElector, 'check'>;
  isSynced: boolean;
}

const electionCheck = (checked: CheckedParts): HealthCheck => ({
  name: 'leaderElection',
  check: () => {
    const problem = checked.elector?.check(electionToleranceMs);
    if (problem) throw problem;
  },
});

const shutdownCheck = (signal: AbortSignal): HealthCheck => ({
  name: 'shutdown',
  check: () => {
    if (signal.aborted) throw new Error('process is shutting down');
  },
});

const syncCheck = (checked: CheckedParts): HealthCheck => ({
  name: 'sched-handler-sync',
  check: () => {
    if (!checked.isSynced) throw new Error('handlers are not fully synchronized');
  },
});
