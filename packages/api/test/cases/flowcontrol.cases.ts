import type { Base, Case, CaseSuite, JsonObject } from '../case.ts';
import { edit } from '../edit.ts';

const object = (kind: string, name: string, spec: object): Base => ({
  object: { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind, metadata: { name }, spec },
});
const create =
  (base: string) =>
  (changes: Record<string, unknown>): Case => ({ create: base, change: edit(changes) });
const schema = create('schema');
const level = create('level');
const update = (base: string, changes: Record<string, unknown>, subresource?: string): Case => ({
  update: base,
  change: edit(changes),
  ...(subresource && { subresource }),
});
const jane = { kind: 'User', user: { name: 'jane' } };
const resources = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] };
const urls = { verbs: ['*'], nonResourceURLs: ['/healthz', '/', '/x/*'] };
const rules = (...list: object[]) => schema({ 'spec.rules': list });
const queuing = (values: object) => level({ 'spec.limited.limitResponse': { type: 'Queue', queuing: values } });
const conditions = [{ type: 'Dangling', status: 'True' }, { type: '' }, { type: 'Dangling' }, {}];
/** Reports whether the server has written the condition about the priority level. */
const hasStatus = ({ status }: JsonObject): boolean => Object.keys(status ?? {}).length > 0;

export const suite: CaseSuite = {
  bases: {
    schema: {
      ...object('FlowSchema', 'cases-schema', {
        priorityLevelConfiguration: { name: 'global-default' },
        rules: [{ subjects: [jane], resourceRules: [resources], nonResourceRules: [urls] }],
      }),
      until: hasStatus,
    },
    shownSchema: {
      ...object('FlowSchema', 'cases-shown', {
        priorityLevelConfiguration: { name: 'missing' },
        matchingPrecedence: 77,
        distinguisherMethod: { type: 'ByNamespace' },
      }),
      until: hasStatus,
    },
    level: object('PriorityLevelConfiguration', 'cases-level', {
      type: 'Limited',
      limited: { limitResponse: { type: 'Queue', queuing: {} } },
    }),
    rejecting: object('PriorityLevelConfiguration', 'cases-rejecting', {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' }, borrowingLimitPercent: 5 },
    }),
  },
  cases: {
    'the precedence of a schema has a default': schema({ 'spec.rules': undefined }),
    'what a schema says is kept': schema({
      'spec.distinguisherMethod': { type: 'ByUser' },
      'spec.matchingPrecedence': 10000,
    }),
    'a schema without a spec is refused': schema({ spec: undefined }),
    'a bad precedence and method are refused': schema({
      'spec.matchingPrecedence': -1,
      'spec.distinguisherMethod': { type: 'ByWeight' },
      'spec.priorityLevelConfiguration.name': 'A_b',
    }),
    'a precedence too high is refused': schema({ 'spec.matchingPrecedence': 10001, 'spec.distinguisherMethod': {} }),
    'the first place is taken': schema({ 'spec.matchingPrecedence': 1 }),
    'a rule must have subjects and something to match': rules({}, { subjects: [jane] }, { resourceRules: [resources] }),
    'subjects of all good forms are taken': rules({
      subjects: [
        { kind: 'Group', group: { name: 'x y' } },
        { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'default' } },
        { kind: 'ServiceAccount', serviceAccount: { name: 'a.b', namespace: 'default' } },
      ],
      nonResourceRules: [urls],
    }),
    'bad subjects are refused': rules({
      subjects: [
        {},
        { kind: 'Robot' },
        { kind: 'User' },
        { kind: 'Group' },
        { kind: 'ServiceAccount' },
        { kind: 'User', user: {}, group: { name: 'a' }, serviceAccount: {} },
        { kind: 'Group', group: {}, user: { name: 'a' }, serviceAccount: {} },
        { kind: 'ServiceAccount', serviceAccount: {}, user: {}, group: {} },
        { kind: 'ServiceAccount', serviceAccount: { name: 'A_b', namespace: 'C_d' } },
      ],
      nonResourceRules: [urls],
    }),
    'bad rules for resources are refused': rules({
      subjects: [jane],
      resourceRules: [
        {},
        { verbs: ['*', 'get'], apiGroups: ['*', 'a'], resources: ['*', 'b'], namespaces: ['*', 'c'] },
        { verbs: ['get', 'stop'], apiGroups: ['a', 'b'], resources: ['c'], namespaces: ['A_b', 'c'] },
        { ...resources, namespaces: [], clusterScope: true },
        { ...resources, namespaces: [] },
        { ...resources, namespaces: ['A_b'], clusterScope: true },
      ],
    }),
    'bad rules for URLs are refused': rules({
      subjects: [jane],
      nonResourceRules: [
        {},
        { verbs: ['*', 'get'], nonResourceURLs: ['*', '/x'] },
        { verbs: ['post'], nonResourceURLs: ['', 'x', '/a b', '/a//b', '/*/a', '/a*', '/*/*', '/*', '/a/*'] },
      ],
    }),
    'the spec of the last schema is fixed': schema({ 'metadata.name': 'catch-all' }),
    'the spec of the first schema is fixed': schema({ 'metadata.name': 'exempt', 'spec.matchingPrecedence': 1 }),
    'a schema can change': update('schema', { 'spec.matchingPrecedence': 5 }),
    'a schema cannot become bad': update('schema', { 'spec.matchingPrecedence': -5, 'metadata.labels': { 'a b': '' } }),
    'status of a schema keeps the rest': update(
      'schema',
      { 'metadata.labels': { a: 'b' }, spec: {}, 'status.conditions': [{ type: 'x', status: 'True' }] },
      'status',
    ),
    'bad conditions of a schema are refused': update('schema', { 'status.conditions': conditions }, 'status'),
    'a schema is shown with whether its level is missing': { table: 'shownSchema' },

    'settings of a level have defaults': level({}),
    'a level that rejects has defaults': level({ 'spec.limited': { limitResponse: { type: 'Reject' } } }),
    'zero shares of a level are kept': level({ 'spec.limited.nominalConcurrencyShares': 0 }),
    'a level without a spec is refused': level({ spec: undefined }),
    'a level that is limited must say how': level({ 'spec.limited': undefined, 'spec.exempt': {} }),
    'only one level is exempt': level({ 'spec.type': 'Exempt' }),
    'unknown types of levels are refused': level({ 'spec.type': 'Free' }),
    'bad limits of a level are refused': level({
      'spec.limited.nominalConcurrencyShares': -1,
      'spec.limited.lendablePercent': 101,
      'spec.limited.borrowingLimitPercent': -1,
      'spec.limited.limitResponse': { type: 'Delay' },
    }),
    'a limit must say what happens': level({ 'spec.limited': {} }),
    'a level that rejects has no queues': level({ 'spec.limited.limitResponse.type': 'Reject' }),
    'a level that queues has queues': level({ 'spec.limited.limitResponse.queuing': undefined }),
    'numbers of queues must be positive': queuing({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
    'a hand is not bigger than the deck': queuing({ queues: 4, handSize: 5 }),
    'too many queues are refused': queuing({ queues: 10_000_001, handSize: 1 }),
    'the hash has bits for ten queues of 64': queuing({ queues: 64, handSize: 10 }),
    'the hash has no bits for eleven queues of 64': queuing({ queues: 64, handSize: 11 }),
    'an annotation of old versions is refused': level({
      'metadata.annotations[flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares]': '',
    }),
    'the exempt level may not be limited': level({ 'metadata.name': 'exempt', 'spec.exempt': { lendablePercent: -1 } }),
    'the exempt level has no limits': level({
      'metadata.name': 'exempt',
      'spec.type': 'Exempt',
      'spec.exempt': { lendablePercent: -1, nominalConcurrencyShares: -1 },
    }),
    'the last level is fixed': level({ 'metadata.name': 'catch-all' }),
    'a level can change': update('level', { 'spec.limited.lendablePercent': 50 }),
    'a level cannot become bad': update('level', {
      'spec.limited.lendablePercent': -1,
      'metadata.labels': { 'a b': '' },
    }),
    'status of a level keeps the rest': update(
      'level',
      { 'metadata.labels': { a: 'b' }, spec: {}, 'status.conditions': [{ type: 'x', status: 'True' }] },
      'status',
    ),
    'bad conditions of a level are refused': update('level', { 'status.conditions': conditions }, 'status'),
    'a level that queues is shown': { table: 'level' },
    'a level that rejects is shown': { table: 'rejecting' },
  },
};
