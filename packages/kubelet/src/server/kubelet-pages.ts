import type { Verbosity } from '@coxswain/apimachinery/log';
import type { Clock } from '@coxswain/client';
import { ComponentHealth, type HealthCheck } from '@coxswain/component-base/health';
import { type ApiHandler, notFoundResponse, textResponse } from '@coxswain/component-base/http';
import { debugFlagsPages } from '@coxswain/component-base/logs';
import { HealthMetrics, type MetricsRegistry } from '@coxswain/component-base/metrics';
import { componentPages } from '@coxswain/component-base/serving';

export interface KubeletPagesOptions {
  readonly metrics: MetricsRegistry;
  /** Beside `ping` and `log`; `syncloop` is one of them. */
  readonly checks: readonly HealthCheck[];
  /** The KubeletConfiguration, for `/configz`. */
  readonly configuration: object;
  /** The values of the flags, by name. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly features: { readonly ComponentFlagz: boolean; readonly ComponentStatusz: boolean };
  readonly profiling: boolean;
  /** Undefined if `/debug/flags/v` is not served. */
  readonly verbosity: Verbosity | undefined;
  readonly clock: Clock;
}

export interface KubeletPages {
  /** All pages. */
  readonly debugging: ApiHandler;
  /** Health and metrics only. */
  readonly figures: ApiHandler;
}

const alwaysOk = (name: string): HealthCheck => ({ name, check: () => {} });

/** The pages about the kubelet's process that every component of Kubernetes has. */
export function kubeletPages(options: KubeletPagesOptions): KubeletPages {
  const { metrics, checks, configuration, flags, features, profiling, verbosity, clock } = options;
  const healthMetrics = new HealthMetrics();
  const health = new ComponentHealth({
    endpoints: { healthz: [alwaysOk('ping'), alwaysOk('log'), ...checks] },
    hasSubpaths: true,
    onResult: healthMetrics.record,
  });
  const pages = componentPages({
    component: 'kubelet',
    health,
    healthMetrics,
    metrics,
    configuration: { kubeletconfig: configuration },
    flags,
    features,
    profiling,
    now: () => new Date(clock.now()),
  });
  const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);
  return {
    figures: async (request) =>
      isBelow(request.path, '/healthz') || isBelow(request.path, '/metrics') ? pages(request) : notFoundResponse(),
    debugging: async (request) => {
      if (!profiling && isBelow(request.path, '/debug/pprof')) return disabled('profiling endpoint is disabled.');
      if (!isBelow(request.path, '/debug/flags')) return pages(request);
      return verbosity ? debugFlagsPages(request, verbosity) : disabled('flags endpoint is disabled.');
    },
  };
}

const disabled = (text: string) => textResponse(405, `${text}\n`);
