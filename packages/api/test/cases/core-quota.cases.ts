import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const base = (kind: string, name: string, spec: object, status?: Record<string, unknown>): Base => ({
  object: { apiVersion: 'v1', kind, metadata: { name }, spec },
  ...(status && { status }),
});
const limits = (...items: object[]): Case => ({ create: 'limitRange', change: edit({ 'spec.limits': items }) });
const quota = (spec: object): Case => ({ create: 'quota', change: edit({ spec }) });
const update = (name: string, changes: Record<string, unknown>): Case => ({ update: name, change: edit(changes) });
const status = (changes: Record<string, unknown>): Case => ({
  update: 'scoped',
  subresource: 'status',
  change: edit(changes),
});
const selector = (...matchExpressions: object[]) => ({ scopeSelector: { matchExpressions } });

export const suite: CaseSuite = {
  bases: {
    limitRange: base('LimitRange', 'limits', { limits: [{ type: 'Pod', max: { cpu: '1' } }] }),
    quota: base('ResourceQuota', 'quota', { hard: { pods: '10' } }),
    scoped: base(
      'ResourceQuota',
      'scoped',
      { hard: { pods: '10', 'limits.cpu': '2' }, scopes: ['NotBestEffort'] },
      {
        hard: { pods: '10', 'limits.cpu': '2', 'limits.memory': '1Gi', cpu: '1' },
        used: { pods: '3', 'limits.cpu': '500m' },
      },
    ),
  },
  cases: {
    'a pod has no defaults': limits({ type: 'Pod', max: { cpu: '1' }, min: { cpu: '100m' } }),
    'a container gets its defaults from the maximum and minimum': limits({
      type: 'Container',
      max: { cpu: '2' },
      min: { cpu: '100m', memory: '1Mi' },
      default: { memory: '2Mi' },
    }),
    'a container keeps its defaults': limits({
      type: 'Container',
      max: { cpu: '2' },
      default: { cpu: '1' },
      defaultRequest: { cpu: '500m' },
    }),
    'a container without anything has nothing': limits({ type: 'Container' }),
    'amounts are rounded up': limits({ type: 'Pod', max: { cpu: '1.0001' }, min: { cpu: '100u' } }),
    'a type is known or qualified': limits({ type: 'Cluster' }, { type: 'example.com/x', max: { storage: '1' } }),
    'a type has a form': limits({ type: 'x y' }),
    'a type is there once': limits({ type: 'Pod' }, { type: 'Pod' }),
    'a resource of a pod has a name': limits({ type: 'Pod', max: { storage: '1' } }),
    'a resource of a pod is known': limits({ type: 'Pod', max: { gold: '1' } }),
    'a resource of a claim is known': limits({ type: 'PersistentVolumeClaim', max: { storage: '1', gold: '1' } }),
    'a resource has a form': limits({ type: 'Container', min: { 'a b': '1' } }),
    'a resource of a ratio is known': limits({ type: 'Pod', maxLimitRequestRatio: { gold: '2' } }),
    'a default of a container is known': limits({
      type: 'PersistentVolumeClaim',
      max: { storage: '1' },
      default: { gold: '1' },
    }),
    'a default request is known': limits({
      type: 'PersistentVolumeClaim',
      max: { storage: '1' },
      defaultRequest: { gold: '1' },
    }),
    'a pod must not have defaults': limits({ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }),
    'a claim has a minimum or maximum': limits({ type: 'PersistentVolumeClaim', default: { storage: '1' } }),
    'the minimum is below the maximum': limits({ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }),
    'all amounts are in order': limits({
      type: 'Container',
      min: { cpu: '3' },
      max: { cpu: '2' },
      default: { cpu: '1' },
      defaultRequest: { cpu: '2500m' },
    }),
    'a default is below the maximum': limits({ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } }),
    'a ratio is one at least': limits({ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }),
    'a ratio is possible': limits({
      type: 'Pod',
      min: { cpu: '1' },
      max: { cpu: '2' },
      maxLimitRequestRatio: { cpu: '2500m' },
    }),
    'a ratio of large amounts is possible': limits({
      type: 'Pod',
      min: { memory: '9Ei' },
      max: { memory: '9Ei' },
      maxLimitRequestRatio: { memory: '3' },
    }),
    'a ratio of a minimum of zero is possible': limits({
      type: 'Pod',
      min: { cpu: '0' },
      max: { cpu: '2' },
      maxLimitRequestRatio: { cpu: '2' },
    }),
    'what cannot be overcommitted has one default': limits({
      type: 'Container',
      default: { 'example.com/gpu': '2' },
      defaultRequest: { 'example.com/gpu': '1' },
    }),
    'a limit range can be changed': update('limitRange', { 'spec.limits': [{ type: 'Pod', max: { cpu: '5' } }] }),
    'a limit range stays valid': update('limitRange', { 'spec.limits': [{ type: 'Sea' }] }),
    'labels of a limit range are judged': update('limitRange', { 'metadata.labels': { a: '-' } }),
    'a limit range is printed': { table: 'limitRange' },

    'a quota is stored': quota({ hard: { pods: '10', 'requests.cpu': '1.0001', 'count/deployments.apps': '3' } }),
    'a quota may be empty': quota({}),
    'a resource of a quota is known': quota({ hard: { gold: '1' } }),
    'a resource of a quota has a form': quota({ hard: { 'a b': '1' } }),
    'a resource of a quota is for quotas': quota({ hard: { storage: '1' } }),
    'an amount is not negative': quota({ hard: { pods: '-1' } }),
    'pods are whole': quota({ hard: { pods: '1500m' } }),
    'huge pages can be limited': quota({ hard: { 'requests.hugepages-2Mi': '2Mi' } }),
    'scopes are known': quota({ hard: { pods: '1' }, scopes: ['Lazy'] }),
    'scopes fit the resources': quota({ hard: { services: '1', secrets: '1', cpu: '1' }, scopes: ['BestEffort'] }),
    'scopes do not contradict each other': quota({
      hard: { pods: '1' },
      scopes: ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating'],
    }),
    'a scope of claims fits claims': quota({
      hard: { 'requests.storage': '1', pods: '1' },
      scopes: ['VolumeAttributesClass'],
    }),
    'a scope of affinity fits pods': quota({
      hard: { pods: '1', services: '1' },
      scopes: ['CrossNamespacePodAffinity'],
    }),
    'a selector of scopes is judged': quota({
      hard: { services: '1' },
      ...selector(
        { scopeName: 'Lazy', operator: 'Exists' },
        { scopeName: 'BestEffort', operator: 'In', values: ['a'] },
        { scopeName: 'NotBestEffort', operator: 'Exists', values: ['a'] },
        { scopeName: 'PriorityClass', operator: 'In' },
        { scopeName: 'PriorityClass', operator: 'Near' },
        { scopeName: 'Terminating', operator: 'DoesNotExist' },
        { scopeName: 'NotTerminating', operator: 'Exists' },
      ),
    }),
    'a selector of scopes may choose a class': quota({
      hard: { pods: '1' },
      ...selector({ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }),
    }),
    'requests beyond limits cause warnings': quota({
      hard: {
        cpu: '2',
        'limits.cpu': '1',
        'requests.memory': '2Gi',
        memory: '1',
        'limits.memory': '1Gi',
        'requests.ephemeral-storage': '2',
        'limits.ephemeral-storage': '3',
      },
    }),
    'the status of a new quota is cleared': { create: 'quota', change: edit({ status: { hard: { pods: '1' } } }) },
    'a quota can be changed': update('scoped', { 'spec.hard.pods': '20' }),
    'scopes stay': update('scoped', { 'spec.scopes': ['BestEffort'], 'spec.hard': { pods: '1' } }),
    'scopes stay in any order': update('scoped', { 'spec.scopes': ['NotBestEffort', 'NotBestEffort'] }),
    'scopes cannot be removed': update('scoped', { 'spec.scopes': undefined }),
    'a change does not warn': update('scoped', { 'spec.hard': { cpu: '2', 'limits.cpu': '1' } }),
    'usage is judged': status({ 'status.hard': { gold: '1' }, 'status.used': { pods: '1500m' } }),
    'usage can be written': status({ 'status.used': { pods: '4' }, 'spec.hard': { pods: '99' } }),
    'labels of a quota are judged': update('scoped', { 'metadata.labels': { a: '-' } }),
    'a quota is printed': { table: 'scoped' },
    'a quota without usage is printed': { table: 'quota' },
  },
};
