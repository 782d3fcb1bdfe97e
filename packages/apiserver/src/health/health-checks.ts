import {
  type HealthCheck,
  type HealthEndpoint,
  type HealthObserver,
  runCheck,
  runChecks,
} from '@coxswain/component-base/health';
import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';

const endpoints = ['healthz', 'livez', 'readyz'] as const;

export interface HealthOptions {
  readonly now: () => Date;
  /** Called with the outcome of every check. */
  readonly onResult?: HealthObserver;
}

/** A step of the server's start. Its check fails until `done` is called. */
export interface StartHook {
  done(): void;
}

/**
 * `/healthz`, `/livez` and `/readyz`. Parts of the server register checks, which run and are printed in that order. The first is
 * always `ping`; the last of `/readyz` is `shutdown`.
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

  /** Adds a check to all three endpoints. For `/livez` it passes during the grace period. Throws when the name is taken. */
  add(check: HealthCheck, { livezGracePeriodMs = 0 }: { readonly livezGracePeriodMs?: number } = {}): void {
    this.addTo('healthz', check);
    this.addTo('livez', livezGracePeriodMs > 0 ? this.#notBefore(livezGracePeriodMs, check) : check);
    this.addTo('readyz', check);
  }

  /** Adds a check to one endpoint. Throws when the name is taken. */
  addTo(endpoint: HealthEndpoint, check: HealthCheck): void {
    if (this.#all(endpoint).some(({ name }) => name === check.name)) {
      throw new Error(`there is already a check ${check.name} of ${endpoint}`);
    }
    this.#checks[endpoint].push(check);
  }

  /** Adds a check `poststarthook/NAME` that fails until the returned hook is done. */
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

  /** Makes `/readyz` fail from now on. */
  beginShutdown(): void {
    this.#shuttingDown = true;
  }

  /** Returns the paths of all checks, for the index at `/`. */
  paths(): string[] {
    return endpoints.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#all(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /** Serves all of `paths()`. Responds with a plain 404 for other paths. */
  readonly handler = async ({ info, query }: RequestContext): Promise<ApiResponse> => {
    const [, first = ''] = info.path.split('/', 2);
    const endpoint = endpoints.find((known) => known === first);
    if (!endpoint) return notFoundResponse();
    if (info.path === `/${endpoint}`) {
      return runChecks(endpoint, this.#all(endpoint), query, this.#options.onResult);
    }
    const name = info.path.slice(endpoint.length + 2);
    const check = this.#all(endpoint).find((known) => known.name === name);
    return check ? runCheck(check) : notFoundResponse();
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
}
