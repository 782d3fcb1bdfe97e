import { expect, it } from 'vitest';
import { emptyObject } from './empty-object.ts';
import { deployment } from './kinds.test-data.ts';
import { atomicList, struct } from './schema-builder.test-data.ts';

it('holds the unset fields that Go encodes nevertheless', () => {
  expect(emptyObject(deployment)).toEqual({
    metadata: {},
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    status: {},
  });
});

it('holds zero values where a field is always written', () => {
  const always = { omitEmpty: false, pointer: false };
  const schema = struct({
    text: { of: 'string', ...always },
    number: { of: 'int32', ...always },
    flag: { of: 'bool', ...always },
    list: { of: atomicList('string'), ...always },
    pointer: { of: 'string', omitEmpty: false },
    quantity: { of: 'quantity', pointer: false },
    duration: { of: 'duration', pointer: false },
    time: { of: 'time', pointer: false },
    port: { of: 'intOrString', pointer: false },
    zero: { of: 'quantity', pointer: false, omitZero: true },
    unset: 'string',
  });
  expect(emptyObject(schema)).toEqual({
    text: '',
    number: 0,
    flag: false,
    list: null,
    pointer: null,
    quantity: '0',
    duration: '0s',
    time: null,
    port: 0,
  });
});
