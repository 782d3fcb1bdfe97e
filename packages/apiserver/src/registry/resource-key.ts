import { newBadRequest, pathSegmentName, quote } from '@coxswain/apimachinery';
import type { ResourceDefinition } from './resource-definition.ts';

/** Where objects of a resource are, below the root of all: `/registry/pods/default/web`. */
export class ResourceKeys {
  /** Of all objects, with a slash at its end. */
  readonly prefix: string;
  readonly #namespaced: boolean;

  constructor(root: string, { keyPrefix, namespaced }: Pick<ResourceDefinition, 'keyPrefix' | 'namespaced'>) {
    this.prefix = `${root}/${keyPrefix}`;
    this.#namespaced = namespaced;
  }

  /** Of the objects of one namespace; of all of them for an empty one. */
  namespacePrefix(namespace: string): string {
    return this.#namespaced && namespace !== '' ? `${this.prefix}${namespace}/` : this.prefix;
  }

  /** Throws BadRequest for a name that would reach elsewhere. */
  key(namespace: string, name: string): string {
    if (this.#namespaced && namespace === '') throw newBadRequest('Namespace parameter required.');
    if (name === '') throw newBadRequest('Name parameter required.');
    const problems = pathSegmentName(name, false);
    if (problems.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(';')}`);
    return this.namespacePrefix(namespace) + name;
  }
}
