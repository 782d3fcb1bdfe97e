/** What the types of custom resources accept and reject. Type-checked only, never run. */
import { expectTypeOf } from 'vitest';
import { type CustomResource, customResource } from '../../src/custom-resources/index.ts';
import type { RESTClient, ResourceInterface } from '../../src/rest/index.ts';

declare const rest: RESTClient;

interface CronTab extends CustomResource<{ cronSpec: string; replicas?: number }, { active: boolean }> {}

const group = { group: 'stable.example.com', version: 'v1' };
const cronTabs = customResource<CronTab>(rest, { ...group, resource: 'crontabs', kind: 'CronTab', namespaced: true });
expectTypeOf(cronTabs('ns')).toExtend<ResourceInterface<CronTab>>();
expectTypeOf(cronTabs('ns').get('x')).toEqualTypeOf<Promise<CronTab>>();
expectTypeOf(cronTabs().list()).resolves.toHaveProperty('items').toEqualTypeOf<CronTab[]>();
cronTabs('ns').create({ metadata: { name: 'x' }, spec: { cronSpec: '* * * * *' } });
cronTabs('ns').apply({ metadata: { name: 'x' }, spec: { replicas: 1 } }, { fieldManager: 'me' });
cronTabs('ns').applyStatus({ metadata: { name: 'x' }, status: { active: true } }, { fieldManager: 'me' });
// @ts-expect-error a namespace is required
cronTabs().get('x');
// @ts-expect-error cronSpec is required
cronTabs('ns').create({ metadata: { name: 'x' }, spec: {} });
// @ts-expect-error a number
cronTabs('ns').apply({ metadata: { name: 'x' }, spec: { replicas: '1' } }, { fieldManager: 'me' });
// @ts-expect-error there is no such field
cronTabs('ns').patch('x', 'merge', { spec: { image: 'i' } });

const shared = customResource<CronTab>(rest, { ...group, resource: 'shared', kind: 'CronTab', namespaced: false });
expectTypeOf(shared().get('x')).toEqualTypeOf<Promise<CronTab>>();
// @ts-expect-error cluster-scoped
shared('ns');

// A kind without a status.
interface Plain extends CustomResource<{ a: string }> {}
const plain: Plain = { metadata: {}, spec: { a: 'x' } };
// @ts-expect-error there is no status
plain.status = {};
