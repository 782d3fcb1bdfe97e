import type { Catalogue, Descriptions } from '@coxswain/api';
import { GroupVersionKind } from '@coxswain/apimachinery';
import {
  byName,
  type Content,
  camelCase,
  type Method,
  nameParameter,
  namespaceParameter,
  type Operation,
  operationScope,
  operationTag,
  optionParameters,
  type Parameter,
  type PathItem,
  patchContent,
  prettyParameter,
  withArticle,
} from '../../openapi/index.ts';
import { type CustomKind, modelName } from './custom-kind.ts';

const objectTypes = ['application/json', 'application/yaml'];
const patchTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
const status: Content = { type: 'meta.v1.Status' };
const scale: Content = { type: 'autoscaling.v1.Scale' };

/** An operation on a path. */
interface Route {
  readonly method: Method;
  readonly action: string;
  /** The verb in operation IDs. */
  readonly verb: string;
  readonly description: string;
  readonly options: string;
  readonly answer: Content;
  readonly codes: readonly number[];
  readonly body?: { readonly content: Content; readonly required: boolean };
}

/** The operations of a custom kind. Watches are not separate operations, but lists with a parameter. */
export function customOperations(kind: CustomKind, catalogue: Catalogue, descriptions: Descriptions): PathItem[] {
  const root = `/apis/${kind.group}/${kind.version}`;
  const collection = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`;
  const object: Content = { definition: modelName(kind, kind.kind) };
  const list = listRoute(kind);
  const scope = kind.namespaced ? 'Namespaced' : '';
  const gvk = GroupVersionKind.of(kind.group, kind.version, kind.kind);

  const operation = (route: Route, path: string, subject: string): Operation => ({
    method: route.method,
    description: route.description,
    operationId: route.verb + operationScope(kind.group, kind.version) + subject,
    tags: [operationTag(kind.group, kind.version)],
    consumes: route.method === 'patch' ? patchTypes : objectTypes,
    produces: objectTypes,
    parameters: [
      ...(path.includes('{name}') ? [nameParameter(kind.kind)] : []),
      ...(path.includes('{namespace}') ? [namespaceParameter] : []),
      prettyParameter,
      ...parametersOf(route.options, catalogue, descriptions),
    ].sort(byName),
    ...(route.body && { body: route.body }),
    responses: new Map(route.codes.map((code) => [code, route.answer])),
    action: route.action,
    kind: gvk,
  });
  const item = (path: string, routes: readonly Route[], suffix = ''): PathItem => ({
    path,
    operations: routes.map((route) =>
      operation(route, path, `${route.action === 'deletecollection' ? 'Collection' : ''}${scope}${kind.kind}${suffix}`),
    ),
  });
  const below = (sub: string, content: Content): PathItem =>
    item(`${collection}/{name}/${sub}`, objectRoutes(`${sub} of the specified ${kind.kind}`, content), camelCase(sub));

  return [
    ...(kind.namespaced
      ? [
          {
            path: `${root}/${kind.plural}`,
            operations: [operation(list, `${root}/${kind.plural}`, `${kind.kind}ForAllNamespaces`)],
          },
        ]
      : []),
    item(collection, [list, createRoute(kind, object), deleteCollectionRoute(kind)]),
    item(`${collection}/{name}`, [...objectRoutes(`the specified ${kind.kind}`, object), deleteRoute(kind)]),
    ...(kind.hasStatus ? [below('status', object)] : []),
    ...(kind.hasScale ? [below('scale', scale)] : []),
  ];
}

/** The only option of reads is resourceVersion, whose description is that of ListOptions. */
const parametersOf = (options: string, catalogue: Catalogue, descriptions: Descriptions): Parameter[] =>
  options === 'Get'
    ? optionParameters(catalogue, descriptions, ['meta.v1.ListOptions']).filter(
        ({ name }) => name === 'resourceVersion',
      )
    : optionParameters(catalogue, descriptions, [`meta.v1.${options}Options`]);

const listRoute = (kind: CustomKind): Route => ({
  method: 'get',
  action: 'list',
  verb: 'list',
  description: `list objects of kind ${kind.kind}`,
  options: 'List',
  answer: { definition: modelName(kind, kind.listKind) },
  codes: [200],
});

const createRoute = ({ kind }: CustomKind, object: Content): Route => ({
  method: 'post',
  action: 'post',
  verb: 'create',
  description: `create ${withArticle(kind)}`,
  options: 'Create',
  answer: object,
  codes: [200, 201, 202],
  body: { content: object, required: true },
});

const deleteCollectionRoute = ({ kind }: CustomKind): Route => ({
  method: 'delete',
  action: 'deletecollection',
  verb: 'delete',
  description: `delete collection of ${kind}`,
  options: 'List',
  answer: status,
  codes: [200],
});

const deleteRoute = ({ kind }: CustomKind): Route => ({
  method: 'delete',
  action: 'delete',
  verb: 'delete',
  description: `delete ${withArticle(kind)}`,
  options: 'Delete',
  answer: status,
  codes: [200, 202],
  body: { content: { type: 'meta.v1.DeleteOptions' }, required: false },
});

/** Operations to read and change an object or its subresource. */
const objectRoutes = (what: string, content: Content): Route[] => [
  {
    method: 'get',
    action: 'get',
    verb: 'read',
    description: `read ${what}`,
    options: 'Get',
    answer: content,
    codes: [200],
  },
  {
    method: 'put',
    action: 'put',
    verb: 'replace',
    description: `replace ${what}`,
    options: 'Update',
    answer: content,
    codes: [200, 201],
    body: { content, required: true },
  },
  {
    method: 'patch',
    action: 'patch',
    verb: 'patch',
    description: `partially update ${what}`,
    options: 'Patch',
    answer: content,
    codes: [200],
    body: { content: patchContent, required: true },
  },
];
