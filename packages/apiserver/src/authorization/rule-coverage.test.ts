import type { PolicyRule } from '@coxswain/api/rbac/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyRules, ruleRequest } from './policy-rules.ts';
import { resourceAttributes } from './resource-attributes.ts';
import { describeRules, uncoveredRules } from './rule-coverage.ts';

const rule = (verbs: string, resources: string, names = '', groups = ''): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: groups.split(','),
  resources: resources.split(','),
  ...(names && { resourceNames: names.split(',') }),
});
const url = (verbs: string, urls: string): PolicyRule => ({
  verbs: verbs.split(','),
  nonResourceURLs: urls.split(','),
});

describe('uncoveredRules', () => {
  const cases: Record<string, [held: PolicyRule[], wanted: PolicyRule[], missing: string[]]> = {
    'several rules together cover one': [[rule('get', 'a'), rule('list', 'a')], [rule('get,list', 'a')], []],
    'a wildcard covers everything': [[rule('*', '*', '', '*')], [rule('get,x', 'a,b/c', 'n', ',apps')], []],
    'rules without a wildcard do not cover one': [
      [rule('get,list', 'a')],
      [rule('*', 'a')],
      ['{APIGroups:[""], Resources:["a"], Verbs:["*"]}'],
    ],
    'a subresource of everything': [
      [rule('get', '*/scale')],
      [rule('get', 'a/scale,a/status,a')],
      ['{APIGroups:[""], Resources:["a"], Verbs:["get"]}', '{APIGroups:[""], Resources:["a/status"], Verbs:["get"]}'],
    ],
    names: [
      [rule('get', 'a', 'x')],
      [rule('get', 'a', 'x,y'), rule('get', 'a')],
      [
        '{APIGroups:[""], Resources:["a"], ResourceNames:["y"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["a"], Verbs:["get"]}',
      ],
    ],
    paths: [
      [url('get', '/a*,/b')],
      [url('get', '/ab,/a/*,/b,/b/c,/*')],
      ['{NonResourceURLs:["/*"], Verbs:["get"]}', '{NonResourceURLs:["/b/c"], Verbs:["get"]}'],
    ],
    'verbs are merged, with duplicates': [
      [],
      [rule('get,list', 'a'), rule('get', 'a')],
      ['{APIGroups:[""], Resources:["a"], Verbs:["get" "list" "get"]}'],
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [held, wanted, missing]) => {
    expect(describeRules(uncoveredRules(held, wanted))).toEqual(missing);
  });

  const some = (...items: string[]) => fc.subarray(items, { minLength: 1 });
  const anyRule: fc.Arbitrary<PolicyRule> = fc.record(
    {
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some('a', 'b', 'a/s', 'b/s', '*/s', '*'),
      resourceNames: some('x', 'y'),
    },
    { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
  );
  it('returns nothing only when the held rules allow everything that the wanted rule allows', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 4 }),
        anyRule,
        fc.record({
          verb: fc.constantFrom('get', 'list', 'other'),
          apiGroup: fc.constantFrom('', 'apps', 'other'),
          resource: fc.constantFrom('a', 'b', 'other'),
          subresource: fc.constantFrom('', 's', 'other'),
          name: fc.constantFrom('', 'x', 'y', 'other'),
        }),
        (held, wanted, request) => {
          if (uncoveredRules(held, [wanted]).length > 0) return;
          const attributes = ruleRequest(resourceAttributes({ user: { username: 'u' }, ...request }));
          if (new PolicyRules([wanted]).allow(attributes)) expect(new PolicyRules(held).allow(attributes)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
