import type { ApiResponse } from '../http/handler.ts';
import { notFoundResponse } from '../http/respond.ts';
import { type HealthCheck, type HealthEndpoint, type HealthObserver, runCheck, runChecks } from './run-checks.ts';

/** Always well: for an endpoint of which nobody checks anything. */
const ping: HealthCheck = { name: 'ping', check: () => {} };

/** The endpoints that a component has, and what each of them looks at. */
export type HealthEndpoints = Readonly<Partial<Record<HealthEndpoint, readonly HealthCheck[]>>>;

export interface ComponentHealthOptions {
  readonly endpoints: HealthEndpoints;
  /** Whether each check can be asked for on its own, as `/readyz/NAME`. */
  readonly hasSubpaths: boolean;
  readonly onResult?: HealthObserver;
}

/** The health of a component: kube-controller-manager has `/healthz` alone, kube-scheduler has all three. */
export class ComponentHealth {
  readonly #checks: Map<HealthEndpoint, HealthCheck[]>;
  readonly #options: ComponentHealthOptions;

  constructor(options: ComponentHealthOptions) {
    this.#options = options;
    const { healthz, livez, readyz } = options.endpoints;
    this.#checks = new Map();
    if (healthz) this.#checks.set('healthz', [...healthz]);
    if (livez) this.#checks.set('livez', [...livez]);
    if (readyz) this.#checks.set('readyz', [...readyz]);
  }

  /** One more that the endpoint looks at. Throws when it has none such. */
  add(endpoint: HealthEndpoint, check: HealthCheck): void {
    const checks = this.#checks.get(endpoint);
    if (!checks) throw new Error(`there is no ${endpoint}`);
    checks.push(check);
  }

  /** For the list of paths. */
  paths(): string[] {
    return [...this.#checks.keys()].map((endpoint) => `/${endpoint}`);
  }

  /** Undefined when the path has nothing to do with health. */
  respond(path: string, query: URLSearchParams): Promise<ApiResponse> | undefined {
    for (const [endpoint, registered] of this.#checks) {
      const checks = registered.length > 0 ? registered : [ping];
      if (path === `/${endpoint}`) return runChecks(endpoint, checks, query, this.#options.onResult);
      if (this.#options.hasSubpaths && path.startsWith(`/${endpoint}/`)) {
        const check = checks.find(({ name }) => path === `/${endpoint}/${name}`);
        return check ? runCheck(check) : Promise.resolve(notFoundResponse());
      }
    }
    return undefined;
  }
}
