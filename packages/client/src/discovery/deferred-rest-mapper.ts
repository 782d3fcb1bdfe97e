import type { GroupKind, GroupResource, GroupVersionKind, GroupVersionResource } from '@coxswain/apimachinery/meta';
import {
  isNoMatchError,
  RESTMapper,
  type RESTMapperOptions,
  type RESTMapping,
} from '@coxswain/apimachinery/restmapper';
import type { CallOptions } from '../rest/call-options.ts';
import type { CachedDiscoveryInterface } from './discovery-interface.ts';
import { waitFor } from './wait-for.ts';

/**
 * A RESTMapper that reads discovery on first use. Its methods resolve like the RESTMapper's; where those throw, these
 * reject.
 *
 * A kind or resource without a match may be new: the mapper invalidates discovery and reads it again, once per call and
 * once for all concurrent calls. Groups that could not be read are treated as missing.
 */
export class DeferredRESTMapper {
  readonly #discovery: CachedDiscoveryInterface;
  readonly #options: RESTMapperOptions;
  #mapper: Promise<RESTMapper> | undefined;
  /** The value of `#mapper` once it has resolved. */
  #loaded: RESTMapper | undefined;

  constructor(discovery: CachedDiscoveryInterface, options: RESTMapperOptions = {}) {
    this.#discovery = discovery;
    this.#options = options;
  }

  /** Invalidates the mapper and the cached discovery. */
  reset(): void {
    this.#discovery.invalidate();
    this.#mapper = undefined;
    this.#loaded = undefined;
  }

  /** Returns the resource that matches a partial one. */
  resourceFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionResource> {
    return this.#ask((mapper) => mapper.resourceFor(partial), options);
  }

  /** Returns all resources that match a partial one. */
  resourcesFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionResource[]> {
    return this.#ask((mapper) => mapper.resourcesFor(partial), options);
  }

  /** Returns the kind of a partial resource. */
  kindFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionKind> {
    return this.#ask((mapper) => mapper.kindFor(partial), options);
  }

  /** Returns all kinds of the resources that match a partial one. */
  kindsFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionKind[]> {
    return this.#ask((mapper) => mapper.kindsFor(partial), options);
  }

  /** Returns the mapping of a kind in the first of `versions` that has it, otherwise in the preferred version. */
  restMapping(kind: GroupKind, versions: readonly string[] = [], options?: CallOptions): Promise<RESTMapping> {
    return this.#ask((mapper) => mapper.restMapping(kind, ...versions), options);
  }

  /** Returns all mappings of a kind. */
  restMappings(kind: GroupKind, versions: readonly string[] = [], options?: CallOptions): Promise<RESTMapping[]> {
    return this.#ask((mapper) => mapper.restMappings(kind, ...versions), options);
  }

  /** Returns the mapping for a command line argument: `po`, `deploy.apps`, `Deployment.v1.apps`. */
  mappingForArg(arg: string, options?: CallOptions): Promise<RESTMapping> {
    return this.#ask(
      (mapper) => mapper.mappingForArg(arg),
      options,
      () => true,
    );
  }

  resourceSingularizer(name: string, options?: CallOptions): Promise<string> {
    return this.#ask((mapper) => mapper.resourceSingularizer(name), options);
  }

  /** Returns the resources of a category such as `all`; undefined when there is no such category. */
  async expandCategory(category: string, options?: CallOptions): Promise<GroupResource[] | undefined> {
    return (await this.#current(options)).expandCategory(category);
  }

  async #ask<T>(
    question: (mapper: RESTMapper) => T,
    options: CallOptions | undefined,
    mayBeNew: (error: unknown) => boolean = isNoMatchError,
  ): Promise<T> {
    const mayBeOld = this.#mapper !== undefined || this.#discovery.fresh();
    const mapper = await this.#current(options);
    try {
      return question(mapper);
    } catch (error) {
      if (!(mayBeOld || !this.#discovery.fresh()) || !mayBeNew(error)) throw error;
      // A concurrent call may have reset the mapper already.
      if (this.#loaded === mapper) this.reset();
    }
    return question(await this.#current(options));
  }

  #current({ signal }: CallOptions = {}): Promise<RESTMapper> {
    if (!this.#mapper) {
      const loading = this.#discovery.serverGroupsAndResources().then((all) => new RESTMapper(all, this.#options));
      this.#mapper = loading;
      loading.then(
        (mapper) => {
          if (this.#mapper === loading) this.#loaded = mapper;
        },
        () => {
          if (this.#mapper === loading) this.#mapper = undefined;
        },
      );
    }
    return waitFor(this.#mapper, signal);
  }
}
