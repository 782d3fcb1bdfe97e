import type { Catalogue, Descriptions, GroupVersionResources, Resource, Subresource } from '@coxswain/api';
import { GroupVersionKind } from '@coxswain/apimachinery';
import type { Content, Method, Operation, PathItem } from './operation.ts';
import { camelCase, operationScope, operationTag } from './operation-id.ts';
import {
  byName,
  nameParameter,
  namespaceParameter,
  optionParameters,
  type Parameter,
  pathParameter,
  prettyParameter,
} from './parameters.ts';
import { patchName } from './scalar-types.ts';

export const objectTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const watchTypes = [
  ...objectTypes,
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** A patch of any type. */
export const patchContent: Content = { special: patchName };
const status: Content = { type: 'meta.v1.Status' };
const options = (name: string): string => `meta.v1.${name}Options`;

/** Subresources with connections instead of objects, and their methods. */
const connections: Readonly<Record<string, readonly Method[]>> = {
  attach: ['get', 'post'],
  exec: ['get', 'post'],
  portforward: ['get', 'post'],
  proxy: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'],
};

/** Resources whose DELETE returns the object instead of a Status. */
const returnsDeleted: ReadonlySet<string> = new Set([
  ...'persistentvolumeclaims persistentvolumes pods podtemplates resourcequotas serviceaccounts services'
    .split(' ')
    .map((name) => `/${name}`),
  ...'deviceclasses devicetaintrules resourceclaims resourceclaimtemplates resourcepoolstatusrequests resourceslices'
    .split(' ')
    .map((name) => `resource.k8s.io/${name}`),
  ...'csidrivers csinodes storageclasses volumeattachments volumeattributesclasses'
    .split(' ')
    .map((name) => `storage.k8s.io/${name}`),
]);

/** Returns the kind with its article: `a Pod`, `an Event`, `Endpoints`. */
export function withArticle(kind: string): string {
  if (/[^s]s$/.test(kind)) return kind;
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** The operations of one group version. */
export class ResourceOperations {
  readonly #catalogue: Catalogue;
  readonly #descriptions: Descriptions;
  readonly #group: string;
  readonly #version: string;
  readonly #items = new Map<string, Operation[]>();
  /** Cached query parameters, by the names of their options. */
  readonly #parametersOf = new Map<string, readonly Parameter[]>();

  constructor(catalogue: Catalogue, descriptions: Descriptions, { group, version, resources }: GroupVersionResources) {
    this.#catalogue = catalogue;
    this.#descriptions = descriptions;
    this.#group = group;
    this.#version = version;
    for (const resource of resources) {
      this.#addResource(resource);
      for (const sub of resource.subresources ?? []) this.#addSubresource(resource, sub);
    }
  }

  items(): PathItem[] {
    return [...this.#items].map(([path, operations]) => ({ path, operations }));
  }

  get #root(): string {
    return this.#group === '' ? `/api/${this.#version}` : `/apis/${this.#group}/${this.#version}`;
  }

  #addResource(resource: Resource): void {
    const { name, kind, namespaced } = resource;
    const gvk = GroupVersionKind.of(this.#group, this.#version, kind);
    const verbs = new Set(resource.verbs.split(' '));
    const scope = namespaced ? 'Namespaced' : '';
    const within = namespaced ? '/namespaces/{namespace}' : '';
    const collection = `${this.#root}${within}/${name}`;
    const single = `${collection}/{name}`;
    const place = namespaced ? [namespaceParameter] : [];
    const itemPlace = [nameParameter(kind), ...place];
    const object = this.#contentOf(gvk);

    if (verbs.has('list')) {
      const list = { content: this.#contentOf(gvk, 'List'), watch: verbs.has('watch') };
      this.#add(collection, this.#list(gvk, `${scope}${kind}`, place, list));
      if (namespaced) this.#add(`${this.#root}/${name}`, this.#list(gvk, `${kind}ForAllNamespaces`, [], list));
    }
    if (verbs.has('create')) {
      this.#add(collection, this.#create(gvk, `${scope}${kind}`, `create ${withArticle(kind)}`, place, object));
    }
    if (verbs.has('deletecollection')) this.#add(collection, this.#deleteCollection(gvk, `${scope}${kind}`, place));
    this.#addReadAndWrite(single, gvk, `${scope}${kind}`, verbs, `the specified ${kind}`, itemPlace, object);
    if (verbs.has('delete')) {
      const answer = returnsDeleted.has(`${this.#group}/${name}`) ? object : status;
      this.#add(single, this.#delete(gvk, `${scope}${kind}`, itemPlace, answer));
    }
    if (verbs.has('watch')) {
      const watched = (path: string) => path.replace(this.#root, `${this.#root}/watch`);
      this.#add(watched(collection), this.#watch(gvk, 'watchlist', `${scope}${kind}List`, place));
      this.#add(watched(single), this.#watch(gvk, 'watch', `${scope}${kind}`, itemPlace));
      if (namespaced) {
        const everywhere = this.#watch(gvk, 'watchlist', `${kind}ListForAllNamespaces`, []);
        this.#add(watched(`${this.#root}/${name}`), everywhere);
      }
    }
  }

  #addSubresource(resource: Resource, sub: Subresource): void {
    const { name, kind, namespaced } = resource;
    const gvk = GroupVersionKind.of(sub.group ?? this.#group, sub.version ?? this.#version, sub.kind);
    const scope = namespaced ? 'Namespaced' : '';
    const path = `${this.#root}${namespaced ? '/namespaces/{namespace}' : ''}/${name}/{name}/${sub.name}`;
    const place = [nameParameter(sub.kind), ...(namespaced ? [namespaceParameter] : [])];
    const subject = `${scope}${kind}${camelCase(sub.name)}`;
    const methods = connections[sub.name];
    if (methods) {
      this.#addConnection(path, methods, gvk, subject, `${sub.name} of ${kind}`, place);
      return;
    }
    const verbs = new Set(sub.verbs.split(' '));
    const what = `${sub.name} of the specified ${kind}`;
    if (sub.name === 'log') {
      this.#add(path, this.#readLog(gvk, subject, `read ${what}`, place));
      return;
    }
    const object = this.#contentOf(gvk);
    this.#addReadAndWrite(path, gvk, subject, verbs, what, place, object);
    if (verbs.has('create')) {
      const description = `create ${sub.name} of ${withArticle(kind)}`;
      this.#add(path, this.#create(gvk, subject, description, place, object));
    }
  }

  #addReadAndWrite(
    path: string,
    gvk: GroupVersionKind,
    subject: string,
    verbs: ReadonlySet<string>,
    what: string,
    place: readonly Parameter[],
    object: Content,
  ): void {
    if (verbs.has('get')) {
      this.#add(path, {
        ...this.#operation(gvk, 'get', 'get', 'read', subject),
        description: `read ${what}`,
        parameters: this.#parameters(place, []),
        responses: answers(object, 200),
      });
    }
    if (verbs.has('update')) {
      this.#add(path, {
        ...this.#operation(gvk, 'put', 'put', 'replace', subject),
        description: `replace ${what}`,
        parameters: this.#parameters(place, [options('Update')]),
        body: { content: object, required: true },
        responses: answers(object, 200, 201),
      });
    }
    if (verbs.has('patch')) {
      this.#add(path, {
        ...this.#operation(gvk, 'patch', 'patch', 'patch', subject),
        description: `partially update ${what}`,
        consumes: patchTypes,
        parameters: this.#parameters(place, [options('Patch')]),
        body: { content: patchContent, required: true },
        responses: answers(object, 200, 201),
      });
    }
  }

  #addConnection(
    path: string,
    methods: readonly Method[],
    gvk: GroupVersionKind,
    subject: string,
    what: string,
    place: readonly Parameter[],
  ): void {
    const own = optionParameters(this.#catalogue, this.#descriptions, [typeName(this.#group, this.#version, gvk.kind)]);
    for (const method of methods) {
      const operation: Operation = {
        ...this.#operation(gvk, method, 'connect', 'connect', camelCase(method) + subject),
        description: `connect ${method.toUpperCase()} requests to ${what}`,
        produces: ['*/*'],
        parameters: [...place, ...own].sort(byName),
        responses: answers('string', 200),
      };
      this.#add(path, operation);
      if (path.endsWith('/proxy')) {
        const parameters = [...operation.parameters, pathParameter].sort(byNameThenPlace);
        this.#add(`${path}/{path}`, { ...operation, operationId: `${operation.operationId}WithPath`, parameters });
      }
    }
  }

  #readLog(gvk: GroupVersionKind, subject: string, description: string, place: readonly Parameter[]): Operation {
    return {
      ...this.#operation(gvk, 'get', 'get', 'read', subject),
      description,
      produces: ['text/plain', ...objectTypes],
      parameters: this.#parameters(place, ['core.v1.PodLogOptions']),
      responses: answers('string', 200),
    };
  }

  #list(
    gvk: GroupVersionKind,
    subject: string,
    place: readonly Parameter[],
    { content, watch }: { readonly content: Content; readonly watch: boolean },
  ): Operation {
    return {
      ...this.#operation(gvk, 'get', 'list', 'list', subject),
      description: `list ${watch ? 'or watch ' : ''}objects of kind ${gvk.kind}`,
      produces: watchTypes,
      parameters: this.#parameters(place, [options('List')]),
      responses: answers(content, 200),
    };
  }

  #watch(gvk: GroupVersionKind, action: string, subject: string, place: readonly Parameter[]): Operation {
    const description =
      action === 'watch'
        ? `watch changes to an object of kind ${gvk.kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`
        : `watch individual changes to a list of ${gvk.kind}. deprecated: use the 'watch' parameter with a list operation instead.`;
    return {
      ...this.#operation(gvk, 'get', action, 'watch', subject),
      description,
      produces: watchTypes,
      parameters: this.#parameters(place, [options('List')]),
      responses: answers({ type: 'meta.v1.WatchEvent' }, 200),
    };
  }

  #create(
    gvk: GroupVersionKind,
    subject: string,
    description: string,
    place: readonly Parameter[],
    object: Content,
  ): Operation {
    return {
      ...this.#operation(gvk, 'post', 'post', 'create', subject),
      description,
      parameters: this.#parameters(place, [options('Create')]),
      body: { content: object, required: true },
      responses: answers(object, 200, 201, 202),
    };
  }

  #deleteCollection(gvk: GroupVersionKind, subject: string, place: readonly Parameter[]): Operation {
    return {
      ...this.#operation(gvk, 'delete', 'deletecollection', 'delete', `Collection${subject}`),
      description: `delete collection of ${gvk.kind}`,
      parameters: this.#parameters(place, [options('Delete'), options('List')], ['watch', 'allowWatchBookmarks']),
      body: { content: { type: options('Delete') }, required: false },
      responses: answers(status, 200),
    };
  }

  #delete(gvk: GroupVersionKind, subject: string, place: readonly Parameter[], answer: Content): Operation {
    return {
      ...this.#operation(gvk, 'delete', 'delete', 'delete', subject),
      description: `delete ${withArticle(gvk.kind)}`,
      parameters: this.#parameters(place, [options('Delete')]),
      body: { content: { type: options('Delete') }, required: false },
      responses: answers(answer, 200, 202),
    };
  }

  #operation(
    kind: GroupVersionKind,
    method: Method,
    action: string,
    verb: string,
    subject: string,
  ): Pick<Operation, 'method' | 'operationId' | 'tags' | 'consumes' | 'produces' | 'action' | 'kind'> {
    return {
      method,
      operationId: verb + operationScope(this.#group, this.#version) + subject,
      tags: [operationTag(this.#group, this.#version)],
      consumes: ['*/*'],
      produces: objectTypes,
      action,
      kind,
    };
  }

  #parameters(place: readonly Parameter[], fromOptions: readonly string[], except?: readonly string[]): Parameter[] {
    const key = fromOptions.join();
    const own =
      this.#parametersOf.get(key) ?? optionParameters(this.#catalogue, this.#descriptions, fromOptions, except);
    this.#parametersOf.set(key, own);
    return [...place, prettyParameter, ...own].sort(byName);
  }

  #contentOf({ group, version, kind }: GroupVersionKind, suffix = ''): Content {
    const schema = this.#catalogue.kind(GroupVersionKind.of(group, version, kind + suffix))?.schema;
    if (!schema) throw new Error(`no type is known of ${group}/${version} ${kind}${suffix}`);
    return { type: schema.fullName };
  }

  #add(path: string, operation: Operation): void {
    const known = this.#items.get(path);
    if (known) known.push(operation);
    else this.#items.set(path, [operation]);
  }
}

const byNameThenPlace = (a: Parameter, b: Parameter): number => byName(a, b) || (a.in < b.in ? -1 : 1);

const typeName = (group: string, version: string, kind: string): string => `${group || 'core'}.${version}.${kind}`;

const answers = (content: Content, ...codes: number[]): ReadonlyMap<number, Content> =>
  new Map(codes.map((code) => [code, content]));
