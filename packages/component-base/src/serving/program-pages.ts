import type { ComponentHealth } from '../health/index.ts';
import { type ApiHandler, type ApiResponse, notFoundResponse, readQuery } from '../http/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';

/** What any program shows of itself. */
export interface ProgramPagesOptions {
  readonly health: ComponentHealth;
  readonly metrics: MetricsRegistry;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Metrics as Prometheus reads them. */
export const scraped = (text: string, startTimeSeconds: number): ApiResponse => ({
  status: 200,
  headers: { 'content-type': metricsType, 'process-start-time-unix': String(Math.floor(startTimeSeconds)) },
  body: Buffer.from(text),
});

/** `/metrics`, and the endpoints that `health` has, such as `/healthz` and `/readyz`; all else leads nowhere. */
export const programPages =
  ({ health, metrics }: ProgramPagesOptions): ApiHandler =>
  async ({ path, search }) => {
    if (path === '/metrics') return scraped(metrics.text(), metrics.startTimeSeconds);
    return (await health.respond(path, readQuery(search))) ?? notFoundResponse();
  };
