import type { Verbosity } from '@coxswain/apimachinery/log';
import type { Clock, LeaderElector, Logger } from '@coxswain/client';
import { camelCase } from '@coxswain/component-base';
import { ComponentHealth } from '@coxswain/component-base/health';
import { HealthMetrics, kubernetesBuildInfo, MetricsRegistry } from '@coxswain/component-base/metrics';
import { type ComponentServer, componentPages, startComponentServer } from '@coxswain/component-base/serving';
import { configurationOf } from './configuration.ts';
import { type ControllerManagerSettings, controllerManagerFlags } from './controller-manager-flags.ts';
import { featuresOf } from './features.ts';

const component = 'kube-controller-manager';
/** How long after its lease has expired a process that still leads is reported as healthy. */
const electionToleranceMs = 20_000;

interface ManagerServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly verbosity?: Verbosity | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The HTTPS server for the controller manager's health, metrics and configuration. */
export class ManagerServer {
  readonly metrics: MetricsRegistry;
  readonly #health: ComponentHealth;
  readonly #server: ComponentServer;

  private constructor(metrics: MetricsRegistry, health: ComponentHealth, server: ComponentServer) {
    this.metrics = metrics;
    this.#health = health;
    this.#server = server;
  }

  /** Starts the server. Returns undefined with `--secure-port=0`. Throws the same errors as `startComponentServer`. */
  static async start(
    settings: ControllerManagerSettings,
    { clock, logger, verbosity, env }: ManagerServerOptions,
  ): Promise<ManagerServer | undefined> {
    if (settings.securePort === 0) return undefined;
    const now = (): Date => new Date(clock.now());
    const metrics = new MetricsRegistry(now);
    metrics.register([kubernetesBuildInfo()]);
    const healthMetrics = new HealthMetrics();
    const health = new ComponentHealth({
      endpoints: { healthz: [] },
      hasSubpaths: false,
      onResult: healthMetrics.record,
    });
    const handler = componentPages({
      component,
      health,
      healthMetrics,
      metrics,
      configuration: configurationOf(settings),
      flags: flagValues(settings),
      features: featuresOf(settings.featureGates),
      profiling: settings.profiling,
      ...(verbosity && { verbosity }),
      now,
    });
    const server = await startComponentServer({ component, settings, handler, clock, logger, metrics, env });
    logger.info('Serving securely', { port: server.port });
    return new ManagerServer(metrics, health, server);
  }

  /** Adds a health check that fails when the leader does not renew its lease in time. */
  watchElection(elector: Pick<LeaderElector, 'check'>): void {
    this.#health.add('healthz', {
      name: 'leaderElection',
      check: () => {
        const problem = elector.check(electionToleranceMs);
        if (problem) throw problem;
      },
    });
  }

  /** Adds a health check for each running controller. */
  addControllers(names: readonly string[]): void {
    for (const name of names) this.#health.add('healthz', { name, check: () => {} });
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** Returns the values of the flags by their names on the command line. */
function flagValues(settings: ControllerManagerSettings): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = settings;
  return Object.fromEntries(Object.keys(controllerManagerFlags).map((name) => [name, values[camelCase(name)]]));
}
