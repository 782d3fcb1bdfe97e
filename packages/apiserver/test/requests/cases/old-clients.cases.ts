import { applyPatch, jsonPatch, mergePatch } from '../headers.ts';
import { edited, type Suite } from '../scenario.ts';

const configMap = (name: string) => ({ metadata: { name }, data: { a: 'b' } });
const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });

/** Requests of clients from old releases, and of generic HTTP clients. */
export const suite: Suite = {
  scenarios: {
    'a page that no server gave out': [
      { send: 'GET /api/v1/pods?continue=abc' },
      { send: 'GET /api/v1/pods?continue=e30' },
      { send: 'GET /api/v1/pods?continue=%20' },
      { send: 'GET /api/v1/pods?continue=bnVsbA' },
      { send: 'GET /api/v1/pods?continue=WzFd' },
      { send: 'GET /api/v1/pods?continue=eyJ2IjoxfQ' },
      { send: 'GET /api/v1/pods?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6IjEifQ' },
      { send: 'GET /api/v1/pods?continue=eyJ2Ijoi' },
    ],
    'an object is exported no more': [
      { send: 'POST v1:configmaps', body: configMap('a') },
      { send: 'GET v1:configmaps/a?export=true' },
      { send: 'GET v1:configmaps/a?export=false' },
      { send: 'GET v1:configmaps/a?export=1' },
      { send: 'GET v1:configmaps/a?export=' },
      { send: 'GET v1:configmaps/a?export=nonsense' },
      { send: 'GET v1:configmaps/a?exact=true&export=true' },
      { send: 'GET v1:configmaps/none?export=true' },
    ],
    'an eviction in the words of former versions': [
      { send: 'POST v1:pods', body: pod('a') },
      {
        send: 'POST v1:pods/a/eviction?dryRun=All',
        body: { kind: 'Eviction', apiVersion: 'policy/v1beta1', metadata: { name: 'a' } },
      },
      {
        send: 'POST v1:pods/a/eviction?dryRun=All',
        body: { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'a' } },
      },
      {
        send: 'POST v1:pods/a/eviction?dryRun=All',
        body: { kind: 'Eviction', apiVersion: 'policy/v1alpha1', metadata: { name: 'a' } },
      },
      {
        send: 'POST v1:pods/a/eviction?dryRun=All',
        body: { kind: 'Eviction', apiVersion: 'v1', metadata: { name: 'a' } },
      },
      { send: 'POST v1:pods/a/eviction?dryRun=All', body: { metadata: { name: 'a' } } },
      {
        send: 'POST v1:pods/a/eviction?dryRun=All&fieldValidation=Strict',
        body: {
          kind: 'Eviction',
          apiVersion: 'policy/v1beta1',
          metadata: { name: 'a' },
          deleteOptions: { gracePeriodSeconds: 0 },
          more: 1,
        },
      },
      {
        send: 'POST v1:pods/a/eviction',
        body: {
          kind: 'Eviction',
          apiVersion: 'policy/v1beta1',
          metadata: { name: 'a' },
          deleteOptions: { gracePeriodSeconds: 0 },
        },
      },
    ],
    'who owns which field is forgotten': [
      { send: 'POST v1:configmaps?fieldManager=one', body: configMap('a'), as: 'a' },
      { send: 'PUT v1:configmaps/a?fieldManager=two', body: edited('a', { 'metadata.managedFields': [] }) },
      {
        send: 'PUT v1:configmaps/a?fieldManager=three',
        body: edited('a', {
          'metadata.resourceVersion': undefined,
          'data.a': 'c',
          'metadata.managedFields': undefined,
        }),
      },
      {
        send: 'PATCH v1:configmaps/a?fieldManager=four',
        body: { metadata: { managedFields: [] } },
        headers: mergePatch,
      },
      {
        send: 'PATCH v1:configmaps/a?fieldManager=four',
        body: { metadata: { managedFields: [{}] } },
        headers: mergePatch,
      },
      {
        send: 'PATCH v1:configmaps/a?fieldManager=five',
        body: { metadata: { managedFields: null }, data: { x: 'y' } },
        headers: mergePatch,
      },
      {
        send: 'PATCH v1:configmaps/a?fieldManager=six',
        body: [{ op: 'replace', path: '/metadata/managedFields', value: [] }],
        headers: jsonPatch,
      },
      {
        send: 'PATCH v1:configmaps/a?fieldManager=six',
        body: [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }],
        headers: jsonPatch,
      },
      {
        send: 'POST v1:configmaps?fieldManager=one',
        body: { ...configMap('b'), metadata: { name: 'b', managedFields: [] } },
      },
      {
        send: 'PATCH v1:configmaps/c?fieldManager=one',
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'c', managedFields: [] },
          data: {},
        }),
        headers: applyPatch,
      },
    ],
    'options of a deletion that are none': [
      { send: 'POST v1:configmaps', body: configMap('a') },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 'x' } },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'DeleteOptions', apiVersion: 'v2' } },
      {
        send: 'DELETE v1:configmaps/a',
        body: { kind: 'DeleteOptions', apiVersion: 'apps/v1', propagationPolicy: 'Sideways' },
      },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'ConfigMap', apiVersion: 'v1' } },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'Options', apiVersion: 'v1' } },
      { send: 'DELETE v1:configmaps/a', body: { propagationPolicy: 'Sideways' } },
      { send: 'DELETE v1:configmaps/a', body: '{' },
      { send: 'DELETE v1:configmaps/a', body: '[]' },
      {
        send: 'DELETE v1:configmaps/a?fieldValidation=Strict',
        body: { kind: 'DeleteOptions', apiVersion: 'v1', more: 1 },
      },
      { send: 'DELETE v1:configmaps/a?dryRun=Some', body: { kind: 'DeleteOptions', apiVersion: 'v1' } },
      { send: 'DELETE v1:configmaps/a?propagationPolicy=Sideways' },
      { send: 'DELETE v1:configmaps', body: { kind: 'DeleteOptions', apiVersion: 'v2' } },
      { send: 'DELETE apps/v1:deployments/a', body: { kind: 'DeleteOptions', apiVersion: 'v2' } },
      {
        send: 'DELETE apps/v1:deployments/a',
        body: { kind: 'DeleteOptions', apiVersion: 'policy/v1', gracePeriodSeconds: 'x' },
      },
      {
        send: 'DELETE apps/v1:deployments/a',
        body: { kind: 'DeleteOptions', apiVersion: 'apps/v1', propagationPolicy: 'Sideways' },
      },
    ],
    'options of a deletion that are of another kind': [
      { send: 'POST v1:configmaps', body: configMap('a') },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'Nope' } },
      { send: 'DELETE v1:configmaps', body: { kind: 'List' } },
      { send: 'DELETE apps/v1:deployments/a', body: 'kind: Nope\n', headers: { 'content-type': 'application/yaml' } },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'ListOptions' } },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'ListOptions', apiVersion: 'v1' } },
      { send: 'DELETE v1:configmaps/a', body: { kind: 'Table', apiVersion: 'meta.k8s.io/v1beta1' } },
      {
        send: 'DELETE v1:configmaps/a',
        body: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1beta1' },
      },
      { send: 'DELETE apps/v1:deployments/a', body: { kind: 'CreateOptions', apiVersion: 'nope/v7' } },
      { send: 'DELETE apps/v1:deployments', body: { kind: 'Status', apiVersion: 'apps/v1' } },
    ],
    'a review owns no fields but says who sent it': [
      {
        send: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldManager=me',
        body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
      },
      { send: 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews?fieldManager=me', body: {} },
      {
        send: 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews?fieldManager=me',
        body: { spec: { user: 'a', nonResourceAttributes: { path: '/', verb: 'get' } } },
      },
      { send: 'POST v1:serviceaccounts', body: { metadata: { name: 'a' } } },
      { send: 'POST v1:serviceaccounts/a/token?fieldManager=me', body: { spec: { audiences: ['x'] } } },
    ],
  },
};
