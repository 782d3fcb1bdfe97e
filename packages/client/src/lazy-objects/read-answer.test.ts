import { readJson, writeJson } from '@coxswain/apimachinery/codec/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUnread } from './lazy-object.ts';
import { readAnswer } from './read-answer.ts';

const long = 'x'.repeat(600);
const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];
const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web', managedFields, uid: 'u' },
  spec: { nodeName: long },
  status: { phase: 'Pending' },
};
const lazily = (object: unknown, end = ''): Record<string, unknown> | undefined =>
  readAnswer(new TextEncoder().encode(writeJson(object) + end)) as Record<string, unknown> | undefined;

describe('the response to a write', () => {
  it.each(['', '\n'])('is parsed on access; it ends with %j', (end) => {
    const answer = lazily(pod, end)!;
    expect(isUnread(answer)).toBe(true);
    expect(isUnread(answer.metadata as object)).toBe(true);
    expect(answer).toEqual(pod);
    expect(isUnread(answer)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['small', { ...pod, spec: {} }],
    ['of a custom kind', { ...pod, apiVersion: 'example.com/v1' }],
    ['a list', { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [pod] }],
    ['of a kind with other members', { kind: 'PodTemplate', apiVersion: 'v1', metadata: {}, template: pod }],
    ['a failure', { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: long }],
    ['in another order', Object.fromEntries(Object.entries(pod).reverse())],
    ['not an object', [pod]],
  ])('is not lazy when it is %s', (_, answer) => {
    expect(lazily(answer)).toBeUndefined();
  });

  it('is read like by readJson', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const parts = fc.record({ name: value, spec: fc.dictionary(fc.string(), value), status: value });
    fc.assert(
      fc.property(parts, fc.boolean(), ({ name, spec, status }, isManaged) => {
        const metadata = { name, ...(isManaged && { managedFields }), annotations: { long } };
        const object = readJson(JSON.stringify({ ...pod, metadata, spec, status }));
        const read = lazily(object);
        expect(read ?? object).toEqual(object);
        if (isManaged) expect(read).toBeDefined();
      }),
    );
  });
});
