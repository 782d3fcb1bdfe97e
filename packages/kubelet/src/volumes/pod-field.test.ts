import { expect, it } from 'vitest';
import { podField } from './pod-field.ts';

const pod = {
  metadata: {
    name: 'p',
    namespace: 'ns',
    uid: 'uid-1',
    labels: { b: '2', a: '1' },
    annotations: { note: 'two\nlines and "quotes"', 'x/y': 'é' },
  },
};

it.each([
  ['metadata.name', 'p'],
  ['metadata.namespace', 'ns'],
  ['metadata.uid', 'uid-1'],
  ['metadata.labels', 'a="1"\nb="2"'],
  ['metadata.annotations', 'note="two\\nlines and \\"quotes\\""\nx/y="é"'],
  ["metadata.labels['a']", '1'],
  ["metadata.labels['none']", ''],
  ["metadata.labels['toString']", ''],
  ["metadata.annotations['x/y']", 'é'],
])('%s is %j in a volume', (path, expected) => expect(podField(pod, path)).toBe(expected));

it.each([
  ['status.podIP', 'unsupported fieldPath: status.podIP'],
  ["spec.x['a']", `fieldPath "spec.x['a']" does not support subscript`],
])('%s cannot be in a volume', (path, message) => expect(() => podField(pod, path)).toThrow(message));
