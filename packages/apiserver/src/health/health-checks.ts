import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse, textResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';

/** One thing that must be well; throws, or rejects, with what is wrong. That is for the log and for `/livez/NAME` only. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}

const endpoints = ['healthz', 'livez', 'readyz'] as const;

export type HealthEndpoint = (typeof endpoints)[number];

export interface HealthOptions {
  readonly now: () => Date;
  /** Told of every check's outcome. */
  readonly onResult?: (check: string, endpoint: HealthEndpoint, error: unknown) => void;
}

/** A step of the start: not well until it is done. */
export interface StartHook {
  done(): void;
}

/**
 * `/healthz`, `/livez` and `/readyz`: parts of the server register what they watch over, and it is printed in that order.
 * `ping` is there from the beginning; `shutdown` is the last that `/readyz` looks at.
 */
export class HealthChecks {
  readonly #options: HealthOptions;
  readonly #checks: Record<HealthEndpoint, HealthCheck[]> = { healthz: [], livez: [], readyz: [] };
  #shuttingDown = false;

  readonly #shutdownCheck: HealthCheck = {
    name: 'shutdown',
    check: () => {
      if (this.#shuttingDown) throw new Error('process is shutting down');
    },
  };

  constructor(options: HealthOptions) {
    this.#options = options;
    this.add({ name: 'ping', check: () => {} });
  }

  /** For all three. `/livez` takes it for well until the grace period, if there is one, is over. */
  add(check: HealthCheck, { livezGracePeriodMs = 0 }: { readonly livezGracePeriodMs?: number } = {}): void {
    this.addTo('healthz', check);
    this.addTo('livez', livezGracePeriodMs > 0 ? this.#notBefore(livezGracePeriodMs, check) : check);
    this.addTo('readyz', check);
  }

  /** For one of them. Throws when the name is taken. */
  addTo(endpoint: HealthEndpoint, check: HealthCheck): void {
    if (this.#all(endpoint).some(({ name }) => name === check.name)) {
      throw new Error(`there is already a check ${check.name} of ${endpoint}`);
    }
    this.#checks[endpoint].push(check);
  }

  /** A check `poststarthook/NAME` that fails until the hook is done. */
  addStartHook(name: string, options?: { readonly livezGracePeriodMs?: number }): StartHook {
    let finished = false;
    const check = (): void => {
      if (!finished) throw new Error('not finished');
    };
    this.add({ name: `poststarthook/${name}`, check }, options);
    return {
      done: () => {
        finished = true;
      },
    };
  }

  /** From now on the server is not ready. */
  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  /** For the index of paths. */
  paths(): string[] {
    return endpoints.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#all(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /** Answers for any of `paths()`; others get a plain 404. */
  readonly handler = async ({ info, query }: RequestContext): Promise<ApiResponse> => {
    const [, first = ''] = info.path.split('/', 2);
    const endpoint = endpoints.find((known) => known === first);
    if (!endpoint) return notFoundResponse();
    if (info.path === `/${endpoint}`) return this.#runAll(endpoint, query);
    const name = info.path.slice(endpoint.length + 2);
    const check = this.#all(endpoint).find((known) => known.name === name);
    return check ? runOne(check) : notFoundResponse();
  };

  #all(endpoint: HealthEndpoint): readonly HealthCheck[] {
    const checks = this.#checks[endpoint];
    return endpoint === 'readyz' ? [...checks, this.#shutdownCheck] : checks;
  }

  #notBefore(delayMs: number, { name, check }: HealthCheck): HealthCheck {
    const { now } = this.#options;
    const start = now().getTime() + delayMs;
    return { name, check: () => (now().getTime() > start ? check() : undefined) };
  }

  async #runAll(endpoint: HealthEndpoint, query: URLSearchParams): Promise<ApiResponse> {
    const excluded = new Set(query.getAll('exclude'));
    const checks = this.#all(endpoint);
    const results = await Promise.all(
      checks.map(async (check) => {
        if (excluded.has(check.name)) return { line: `[+]${check.name} excluded: ok\n`, failed: false };
        const error = await errorOf(check);
        this.#options.onResult?.(check.name, endpoint, error);
        // The endpoint is public, so it does not say why.
        const line = error === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`;
        return { line, failed: error !== undefined };
      }),
    );
    for (const { name } of checks) excluded.delete(name);
    const unmatched = [...excluded].sort().map((name) => JSON.stringify(name));
    const lines = results.map(({ line }) => line).join('');
    const warning =
      unmatched.length > 0
        ? `warn: some health checks cannot be excluded: no matches for ${unmatched.join(',')}\n`
        : '';
    if (results.some(({ failed }) => failed)) {
      return textResponse(500, `${lines}${warning}${endpoint} check failed\n`);
    }
    return textResponse(200, query.has('verbose') ? `${lines}${warning}${endpoint} check passed\n` : 'ok');
  }
}

async function errorOf({ check }: HealthCheck): Promise<unknown> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error ?? new Error('failed');
  }
}

async function runOne(check: HealthCheck): Promise<ApiResponse> {
  const error = await errorOf(check);
  if (error === undefined) {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from('ok') };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return textResponse(500, `internal server error: ${reason}\n`);
}
