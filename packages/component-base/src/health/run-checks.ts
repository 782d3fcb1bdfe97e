import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse } from '../http/handler.ts';
import { textResponse } from '../http/respond.ts';

/** A health check: throws or rejects with the problem. The message is shown only in the log and at `/livez/NAME`. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** Called with the outcome of each check. */
export type HealthObserver = (check: string, endpoint: HealthEndpoint, error: unknown) => void;

/**
 * Answers a request for all checks of an endpoint: `ok`, or one line per check for `?verbose` or on failure. `?exclude=name` skips a check.
 */
export async function runChecks(
  endpoint: HealthEndpoint,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
  onResult?: HealthObserver,
): Promise<ApiResponse> {
  const excluded = new Set(query.getAll('exclude'));
  const results = await Promise.all(
    checks.map(async (check) => {
      if (excluded.has(check.name)) return { line: `[+]${check.name} excluded: ok\n`, failed: false };
      const error = await errorOf(check);
      onResult?.(check.name, endpoint, error);
      // The endpoint is public, so it does not show the reason.
      const line = error === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`;
      return { line, failed: error !== undefined };
    }),
  );
  for (const { name } of checks) excluded.delete(name);
  const unmatched = [...excluded].sort().map((name) => JSON.stringify(name));
  const lines = results.map(({ line }) => line).join('');
  const warning =
    unmatched.length > 0 ? `warn: some health checks cannot be excluded: no matches for ${unmatched.join(',')}\n` : '';
  if (results.some(({ failed }) => failed)) {
    return textResponse(500, `${lines}${warning}${endpoint} check failed\n`);
  }
  return textResponse(200, query.has('verbose') ? `${lines}${warning}${endpoint} check passed\n` : 'ok');
}

/** Answers a request for a single check. The reason of a failure is shown: clients need a permission for this path. */
export async function runCheck(check: HealthCheck): Promise<ApiResponse> {
  const error = await errorOf(check);
  if (error === undefined) {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from('ok') };
  }
  const reason = messageOf(error);
  return textResponse(500, `internal server error: ${reason}\n`);
}

async function errorOf({ check }: HealthCheck): Promise<unknown> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error ?? new Error('failed');
  }
}
