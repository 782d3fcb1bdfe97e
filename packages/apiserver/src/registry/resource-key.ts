import { newBadRequest, pathSegmentName, quote } from '@coxswain/apimachinery';
import type { ResourceDefinition } from './resource-definition.ts';

/** The keys of a resource's objects in the store, such as `/registry/pods/default/web`. */
export class ResourceKeys {
  /** The prefix of all objects, with a slash at its end. */
  readonly prefix: string;
  readonly #namespaced: boolean;

  constructor(root: string, { keyPrefix, namespaced }: Pick<ResourceDefinition, 'keyPrefix' | 'namespaced'>) {
    this.prefix = `${root}/${keyPrefix}`;
    this.#namespaced = namespaced;
  }

  /** Returns the prefix of the objects in a namespace, or of all objects when it is empty. */
  namespacePrefix(namespace: string): string {
    return this.#namespaced && namespace !== '' ? `${this.prefix}${namespace}/` : this.prefix;
  }

  /** Returns the key of an object. Throws BadRequest for an empty name or namespace, and for names such as `..` or `a/b`. */
  key(namespace: string, name: string): string {
    if (this.#namespaced && namespace === '') throw newBadRequest('Namespace parameter required.');
    if (name === '') throw newBadRequest('Name parameter required.');
    const problems = pathSegmentName(name, false);
    if (problems.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(';')}`);
    return this.namespacePrefix(namespace) + name;
  }
}
