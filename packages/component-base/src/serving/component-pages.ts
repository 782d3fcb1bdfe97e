import { newNotAcceptable } from '@coxswain/apimachinery/errors';
import type { ComponentHealth } from '../health/index.ts';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  headerOf,
  jsonErrorResponse,
  jsonResponse,
  notFoundResponse,
  readQuery,
} from '../http/index.ts';
import { type HealthMetrics, type MetricsRegistry, textFormat } from '../metrics/index.ts';
import { versionInfo } from '../version/index.ts';

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
  readonly now: () => Date;
}

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const pageTypes = ['application/json', 'application/yaml', 'text/plain'];
const metricsType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** `/healthz` and its like, `/metrics`, `/metrics/slis`, `/configz`, `/flagz` and `/statusz`; all else leads nowhere. */
export function componentPages(options: ComponentPagesOptions): ApiHandler {
  const { health, healthMetrics, metrics, configuration, features } = options;
  const scraped = (text: string): ApiResponse => ({
    status: 200,
    headers: { 'content-type': metricsType, 'process-start-time-unix': String(Math.floor(metrics.startTimeSeconds)) },
    body: Buffer.from(text),
  });
  const nosniff = (response: ApiResponse): ApiResponse => ({
    ...response,
    headers: { ...response.headers, 'x-content-type-options': 'nosniff' },
  });
  const pages: Readonly<Record<string, (request: ApiRequest) => ApiResponse>> = {
    '/configz': () => nosniff(jsonResponse(JSON.stringify(configuration))),
    '/metrics': () => scraped(metrics.text()),
    '/metrics/slis': ({ method }) => {
      if (method !== 'DELETE') return scraped(textFormat(healthMetrics.families));
      healthMetrics.reset();
      return plainText('metrics reset\n');
    },
    ...(features.ComponentFlagz && { '/flagz': (request) => textPage(request, flagsPage(options)) }),
    ...(features.ComponentStatusz && { '/statusz': (request) => textPage(request, statusPage(options)) }),
  };
  return async (request) => {
    const answer = health.respond(request.path, readQuery(request.search));
    if (answer) return answer;
    return Object.hasOwn(pages, request.path) ? pages[request.path]!(request) : notFoundResponse();
  };
}

const plainText = (text: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(text),
});

/** For people. Differs from upstream: there is no other form of it. */
function textPage(request: ApiRequest, text: string): ApiResponse {
  const accept = headerOf(request, 'accept');
  const isAccepted = accept === '' || /(^|[\s,])(\*\/\*|text\/(\*|plain))/.test(accept);
  return isAccepted ? plainText(text) : jsonErrorResponse(newNotAcceptable(pageTypes), request);
}

function flagsPage({ component, flags }: ComponentPagesOptions): string {
  const lines = Object.keys(flags)
    .sort()
    .map((name) => `${name}: ${shown(flags[name])}\n`);
  return `\n${component} flagz\n${warning}\n${lines.join('')}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  return value === undefined || value === null ? '' : String(value);
}

function statusPage({ component, health, metrics, features, now }: ComponentPagesOptions): string {
  const started = new Date(metrics.startTimeSeconds * 1000);
  const { gitVersion, emulationMajor, emulationMinor, goVersion } = versionInfo;
  const rows = [
    ['Started', startedText(started)],
    ['Up', upText(now().getTime() - started.getTime())],
    ['Go version', goVersion],
    ['Binary version', gitVersion.slice(1)],
    ['Emulation version', `${emulationMajor}.${emulationMinor}`],
    [
      'Paths',
      [...health.paths(), '/configz', ...(features.ComponentFlagz ? ['/flagz'] : []), '/metrics'].sort().join(' '),
    ],
  ];
  return `\n${component} statusz\n${warning}\n\n${rows.map(([name, value]) => `${name}  ${value}\n`).join('')}`;
}

/** `Sun Nov 15 20:47:05 UTC 2026` */
function startedText(time: Date): string {
  const [weekday = '', day = '', month = '', year = '', clock = ''] = time.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clock} UTC ${year}`;
}

function upText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
