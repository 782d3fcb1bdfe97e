import type { ComponentHealth } from '../health/index.ts';
import { type ApiHandler, type ApiResponse, notFoundResponse, readQuery } from '../http/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';

/** Options of the pages that any program serves. */
export interface ProgramPagesOptions {
  readonly health: ComponentHealth;
  readonly metrics: MetricsRegistry;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** A response in Prometheus' text format. */
export const scraped = (text: string, startTimeSeconds: number): ApiResponse => ({
  status: 200,
  headers: { 'content-type': metricsType, 'process-start-time-unix': String(Math.floor(startTimeSeconds)) },
  body: Buffer.from(text),
});

/**
 * Serves `/metrics` and the endpoints of `health`, such as `/healthz` and `/readyz`; other paths are answered with 404.
 */
export const programPages =
  ({ health, metrics }: ProgramPagesOptions): ApiHandler =>
  async ({ path, search }) => {
    if (path === '/metrics') return scraped(metrics.text(), metrics.startTimeSeconds);
    return (await health.respond(path, readQuery(search))) ?? notFoundResponse();
  };
