import type { ComponentHealth } from '../health/index.ts';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  notFoundResponse,
  readQuery,
} from '../http/index.ts';
import { type HealthMetrics, type MetricsRegistry, textFormat } from '../metrics/index.ts';
import { heapSampler, isProfilePath, profilePages } from '../profiling/index.ts';
import { flagsText, plainText, statusText, textPage } from './text-pages.ts';

/** What a component shows of itself. */
export interface ComponentPagesOptions {
  /** `kube-controller-manager` */
  readonly component: string;
  readonly health: ComponentHealth;
  readonly healthMetrics: HealthMetrics;
  readonly metrics: MetricsRegistry;
  /** Its configuration, by the name of the API group that it is of. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** What its flags say, by name. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Which of the pages for people there are. */
  readonly features: { readonly ComponentFlagz: boolean; readonly ComponentStatusz: boolean };
  /** `--profiling`: serve `/debug/pprof/` as well. */
  readonly profiling: boolean;
  readonly now: () => Date;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/**
 * `/healthz` and its like, `/metrics`, `/metrics/slis`, `/configz`, `/flagz`, `/statusz` and `/debug/pprof/`; all else leads nowhere. Where there are
 * profiles, the heap is sampled from now on.
 */
export function componentPages(options: ComponentPagesOptions): ApiHandler {
  const { component, health, healthMetrics, metrics, configuration, flags, features, profiling, now } = options;
  const started = new Date(metrics.startTimeSeconds * 1000);
  const scraped = (text: string): ApiResponse => ({
    status: 200,
    headers: { 'content-type': metricsType, 'process-start-time-unix': String(Math.floor(metrics.startTimeSeconds)) },
    body: Buffer.from(text),
  });
  const nosniff = (response: ApiResponse): ApiResponse => ({
    ...response,
    headers: { ...response.headers, 'x-content-type-options': 'nosniff' },
  });
  const paths = (): string[] => [
    ...health.paths(),
    '/configz',
    ...(features.ComponentFlagz ? ['/flagz'] : []),
    '/metrics',
  ];
  const pages: Readonly<Record<string, (request: ApiRequest) => ApiResponse>> = {
    '/configz': () => nosniff(jsonResponse(JSON.stringify(configuration))),
    '/metrics': () => scraped(metrics.text()),
    '/metrics/slis': ({ method }) => {
      if (method !== 'DELETE') return scraped(textFormat(healthMetrics.families));
      healthMetrics.reset();
      return plainText('metrics reset\n');
    },
    ...(features.ComponentFlagz && { '/flagz': (request) => textPage(request, flagsText(component, flags)) }),
    ...(features.ComponentStatusz && {
      '/statusz': (request) => textPage(request, statusText({ component, started, now: now(), paths: paths() })),
    }),
  };
  // Where that fails, whoever asks for the heap is told.
  if (profiling) heapSampler.start().catch(() => {});
  return async (request) => {
    if (profiling && isProfilePath(request.path)) return profilePages(request);
    const answer = health.respond(request.path, readQuery(request.search));
    if (answer) return answer;
    return Object.hasOwn(pages, request.path) ? pages[request.path]!(request) : notFoundResponse();
  };
}
