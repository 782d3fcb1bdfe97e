import type { Verbosity } from '@coxswain/apimachinery/log';
import { type ApiHandler, type ApiRequest, type ApiResponse, jsonResponse } from '../http/index.ts';
import { debugFlagsPages, isDebugFlagsPath } from '../logs/index.ts';
import { type HealthMetrics, textFormat } from '../metrics/index.ts';
import { heapSampler, isProfilePath, profilePages } from '../profiling/index.ts';
import { type ProgramPagesOptions, programPages, scraped } from './program-pages.ts';
import { flagsText, plainText, statusText, textPage } from './text-pages.ts';

/** Options of the pages that a component of Kubernetes serves. */
export interface ComponentPagesOptions extends ProgramPagesOptions {
  /** `kube-controller-manager` */
  readonly component: string;
  readonly healthMetrics: HealthMetrics;
  /** The component's configuration, by the name of its API group. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** The values of the flags, by name. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Which of `/flagz` and `/statusz` are served. */
  readonly features: { readonly ComponentFlagz: boolean; readonly ComponentStatusz: boolean };
  /** `--profiling`: serve `/debug/pprof/` as well. */
  readonly profiling: boolean;
  /** The verbosity of the component's log. With profiling, `/debug/flags/v` sets it. */
  readonly verbosity?: Verbosity;
  readonly now: () => Date;
}

/**
 * Serves the health endpoints, `/metrics`, `/metrics/slis`, `/configz`, `/flagz`, `/statusz`, `/debug/pprof/` and `/debug/flags/v`; other
 * paths are answered with 404. With profiling, heap sampling starts with this call.
 */
export function componentPages(options: ComponentPagesOptions): ApiHandler {
  const { component, health, healthMetrics, metrics, configuration, flags, features, profiling, verbosity, now } =
    options;
  const started = new Date(metrics.startTimeSeconds * 1000);
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
    '/metrics/slis': ({ method }) => {
      if (method !== 'DELETE') return scraped(textFormat(healthMetrics.families), metrics.startTimeSeconds);
      healthMetrics.reset();
      return plainText('metrics reset\n');
    },
    ...(features.ComponentFlagz && { '/flagz': (request) => textPage(request, flagsText(component, flags)) }),
    ...(features.ComponentStatusz && {
      '/statusz': (request) => textPage(request, statusText({ component, started, now: now(), paths: paths() })),
    }),
  };
  // If sampling cannot start, the request for the heap profile reports the error.
  if (profiling) heapSampler.start().catch(() => {});
  const others = programPages(options);
  return async (request) => {
    if (profiling && isProfilePath(request.path)) return profilePages(request);
    if (profiling && verbosity && isDebugFlagsPath(request.path)) return debugFlagsPages(request, verbosity);
    return Object.hasOwn(pages, request.path) ? pages[request.path]!(request) : others(request);
  };
}
