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
 * A RESTMapper that reads discovery when first asked. Names and kinds mean the same as there; what fails there rejects
 * here.
 *
 * What it does not know may be new: before it says so it forgets everything and reads discovery again, once for each
 * question and once for all who ask at the same time. Groups that could not be read are as if they were not there.
 */
export class DeferredRESTMapper {
  readonly #discovery: CachedDiscoveryInterface;
  readonly #options: RESTMapperOptions;
  #mapper: Promise<RESTMapper> | undefined;
  /** What `#mapper` brought, once it has. */
  #loaded: RESTMapper | undefined;

  constructor(discovery: CachedDiscoveryInterface, options: RESTMapperOptions = {}) {
    this.#discovery = discovery;
    this.#options = options;
  }

  /** Forgets everything, the cached discovery's contents as well. */
  reset(): void {
    this.#discovery.invalidate();
    this.#mapper = undefined;
    this.#loaded = undefined;
  }

  /** The one resource meant. */
  resourceFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionResource> {
    return this.#ask((mapper) => mapper.resourceFor(partial), options);
  }

  /** All resources that could be meant. */
  resourcesFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionResource[]> {
    return this.#ask((mapper) => mapper.resourcesFor(partial), options);
  }

  /** The one kind meant. */
  kindFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionKind> {
    return this.#ask((mapper) => mapper.kindFor(partial), options);
  }

  /** All kinds that could be meant. */
  kindsFor(partial: GroupVersionResource, options?: CallOptions): Promise<GroupVersionKind[]> {
    return this.#ask((mapper) => mapper.kindsFor(partial), options);
  }

  /** Where objects of a kind are found: in the first of the versions that has it, else in the preferred one. */
  restMapping(kind: GroupKind, versions: readonly string[] = [], options?: CallOptions): Promise<RESTMapping> {
    return this.#ask((mapper) => mapper.restMapping(kind, ...versions), options);
  }

  /** Every place where objects of a kind are found. */
  restMappings(kind: GroupKind, versions: readonly string[] = [], options?: CallOptions): Promise<RESTMapping[]> {
    return this.#ask((mapper) => mapper.restMappings(kind, ...versions), options);
  }

  /** Where to find what a user typed: `po`, `deploy.apps`, `Deployment.v1.apps`. */
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

  /** The resources of a category such as `all`; undefined when there is no such category. */
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
      // Others who missed something may have done so meanwhile.
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
