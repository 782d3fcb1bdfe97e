import { GroupVersion, type MetaGroupVersionResource } from '@coxswain/apimachinery/meta';
import { type Clock, type DiscoveryInterface, type Logger, sleep } from '@coxswain/client';
import type { ControllerDefinition } from '../controller/controller.ts';

const retryMs = 1000;

export interface ServedResourcesOptions {
  readonly discovery: DiscoveryInterface;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Records which resources the server had when the controllers were started. Not every server has all of them. */
export class ServedResources {
  readonly #options: ServedResourcesOptions;
  readonly #served = new Set<string>();

  constructor(options: ServedResourcesOptions) {
    this.#options = options;
  }

  /** Runs discovery, unless no controller needs or uses optional resources. Retries until it succeeds or the signal is aborted. */
  async look(controllers: readonly ControllerDefinition[], signal: AbortSignal): Promise<void> {
    const { discovery, clock, logger } = this.#options;
    if (controllers.every(({ needs, uses }) => !needs && !uses)) return;
    while (!signal.aborted) {
      try {
        const { resourceLists } = await discovery.serverGroupsAndResources({ signal });
        for (const { groupVersion, resources } of resourceLists) {
          for (const { name } of resources) this.#served.add(`${groupVersion} ${name}`);
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.error('Failed to discover the resources of the server', error);
        await sleep(clock, retryMs, signal).catch(() => {});
      }
    }
  }

  has(resource: MetaGroupVersionResource): boolean {
    return this.#served.has(keyOf(resource));
  }

  /** Whether the server has all resources that the controller needs. Logs the missing ones. */
  isEnoughFor({ name, needs = [] }: ControllerDefinition): boolean {
    const missing = needs.filter((resource) => !this.has(resource)).map(keyOf);
    if (missing.length > 0) {
      this.#options.logger.info('Skipping controller: the server lacks resources', { controller: name, missing });
    }
    return missing.length === 0;
  }
}

const keyOf = ({ group, version, resource }: MetaGroupVersionResource): string =>
  `${GroupVersion.of(group, version)} ${resource}`;
