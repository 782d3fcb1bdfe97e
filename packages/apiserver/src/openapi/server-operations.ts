import type { GroupVersionResources } from '@coxswain/api';
import type { Content, Operation, PathItem } from './operation.ts';
import { operationScope, operationTag } from './operation-id.ts';
import { objectTypes } from './resource-operations.ts';
import { versionInfoName } from './scalar-types.ts';

interface Document {
  readonly path: string;
  readonly description: string;
  readonly operationId: string;
  readonly tag: string;
  readonly answer: Content;
  readonly produces?: readonly string[];
  readonly consumes?: readonly string[];
}

function reading({
  path,
  description,
  operationId,
  tag,
  answer,
  produces = objectTypes,
  consumes,
}: Document): PathItem {
  const operation: Operation = {
    method: 'get',
    description,
    operationId,
    tags: [tag],
    ...(consumes && { consumes }),
    produces,
    parameters: [],
    responses: new Map([[200, answer]]),
  };
  return { path, operations: [operation] };
}

/** The server's own paths, which belong to no group, by the path of their document. */
export const serverPaths: ReadonlyMap<string, PathItem> = new Map([
  [
    '.well-known/openid-configuration',
    reading({
      path: '/.well-known/openid-configuration/',
      description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
      answer: 'string',
      produces: ['application/json'],
    }),
  ],
  [
    'api',
    reading({
      path: '/api/',
      description: 'get available API versions',
      operationId: 'getCoreAPIVersions',
      tag: 'core',
      answer: { type: 'meta.v1.APIVersions' },
      consumes: objectTypes,
    }),
  ],
  [
    'apis',
    reading({
      path: '/apis/',
      description: 'get available API versions',
      operationId: 'getAPIVersions',
      tag: 'apis',
      answer: { type: 'meta.v1.APIGroupList' },
      consumes: objectTypes,
    }),
  ],
  [
    'openid/v1/jwks',
    reading({
      path: '/openid/v1/jwks/',
      description: 'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      answer: 'string',
      produces: ['application/jwk-set+json'],
    }),
  ],
  [
    'version',
    reading({
      path: '/version/',
      description: 'get the version information for this server',
      operationId: 'getCodeVersion',
      tag: 'version',
      answer: { special: versionInfoName },
      produces: ['application/json'],
      consumes: ['application/json'],
    }),
  ],
]);

/** `/apis/GROUP/` */
export const groupPath = (group: string): PathItem =>
  reading({
    path: `/apis/${group}/`,
    description: 'get information of a group',
    operationId: `get${operationScope(group)}APIGroup`,
    tag: operationTag(group),
    answer: { type: 'meta.v1.APIGroup' },
    consumes: objectTypes,
  });

/** `/apis/GROUP/VERSION/` */
export const groupVersionPath = ({ group, version }: GroupVersionResources): PathItem =>
  reading({
    path: group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`,
    description: 'get available resources',
    operationId: `get${operationScope(group, version)}APIResources`,
    tag: operationTag(group, version),
    answer: { type: 'meta.v1.APIResourceList' },
    consumes: objectTypes,
  });
