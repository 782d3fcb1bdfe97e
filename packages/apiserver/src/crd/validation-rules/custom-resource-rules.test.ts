import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { CountingEventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { largeDefinition, largeObject } from '../schema/large-schema.test-data.ts';
import { compileRuleValidator } from './custom-resource-rules.ts';

const rules = (...texts: readonly string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });
const withSpec = (spec: JSONSchemaProps): JSONSchemaProps => ({ type: 'object', properties: { spec } });
const objectWith = (spec: unknown) => ({ apiVersion: 'example.com/v1', kind: 'X', metadata: { name: 'x' }, spec });

describe('validation rules', () => {
  it('are evaluated synchronously on a large object, once they are compiled', async () => {
    const { openAPIV3Schema } = largeDefinition({ rules: 50 }).spec.versions[0]!.schema!;
    // With a clock that does not advance.
    const validate = compileRuleValidator(openAPIV3Schema!, new CountingEventLoop({ msPerLook: 0 }));
    const object = largeObject();
    expect(await validate(object, undefined, undefined)).toEqual([]);
    expect(validate(object, undefined, undefined)).toEqual([]);
    const broken = largeObject();
    const { group3 } = broken.spec as Record<string, { name: string }>;
    group3!.name = 'x';
    const errors = await validate(broken, undefined, undefined);
    expect(errors.map(String)).toEqual(['spec.group3: Invalid value: must hold']);
  });

  it('treat names of inherited properties as data', async () => {
    const properties = JSON.parse('{"constructor":{"type":"integer"},"toString":{"type":"integer"}}') as Record<
      string,
      JSONSchemaProps
    >;
    const map: JSONSchemaProps = { type: 'object', additionalProperties: { type: 'integer', ...rules('self > 1') } };
    const spec: JSONSchemaProps = {
      type: 'object',
      properties: { ...properties, map },
      ...rules('!has(self.constructor)', 'has(self.toString)'),
    };
    const validate = compileRuleValidator(withSpec(spec), systemEventLoop);
    const object = objectWith(JSON.parse('{"map":{"__proto__":1,"constructor":2}}'));
    expect((await validate(object, undefined, undefined)).map(String)).toEqual([
      'spec: Invalid value: failed rule: has(self.toString)',
      'spec.map[__proto__]: Invalid value: 1: failed rule: self > 1',
    ]);
  });

  it('stop at the maximum number of errors', async () => {
    const items: JSONSchemaProps = { type: 'integer', ...rules('self > 5') };
    const validate = compileRuleValidator(
      withSpec({ type: 'object', properties: { list: { type: 'array', items } } }),
      systemEventLoop,
    );
    const errors = await validate(objectWith({ list: Array(50_000).fill(0) }), undefined, undefined);
    expect(errors).toHaveLength(10_000);
  });

  it('cause only warnings for unchanged values, even in reordered lists', async () => {
    const item: JSONSchemaProps = {
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'integer' } },
      ...rules('self.size > 1'),
    };
    const list: JSONSchemaProps = {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    const validate = compileRuleValidator(withSpec({ type: 'object', properties: { list } }), systemEventLoop);
    const [a, b] = [
      { name: 'a', size: 1 },
      { name: 'b', size: 1 },
    ];
    const warnings: string[] = [];
    const errors = await validate(objectWith({ list: [b, { ...a, size: 0 }] }), objectWith({ list: [a, b] }), (text) =>
      warnings.push(text),
    );
    expect(errors.map(String)).toEqual(['spec.list[1]: Invalid value: failed rule: self.size > 1']);
    expect(warnings).toEqual(['spec.list[0]: Invalid value: failed rule: self.size > 1']);
  });

  it('support all int64 values', async () => {
    const validate = compileRuleValidator(
      withSpec({ type: 'object', properties: { n: { type: 'integer' } }, ...rules('self.n == 9007199254740993') }),
      systemEventLoop,
    );
    expect(await validate(objectWith({ n: 9007199254740993n }), undefined, undefined)).toEqual([]);
    expect(await validate(objectWith({ n: 9007199254740992n }), undefined, undefined)).toHaveLength(1);
  });
});
