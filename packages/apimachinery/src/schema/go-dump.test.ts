import { describe, expect, it } from 'vitest';
import { exampleType } from './example-types.test-data.ts';
import { compileGoDump } from './go-dump.ts';

const dumpOf = (type: string, object: object): string => compileGoDump(exampleType(type))(object);

const noTimeZone =
  '(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}';

describe('compileGoDump', () => {
  it.each<[what: string, type: string, object: object, dump: string]>([
    [
      'fields that are set, inlined ones too',
      'core.v1.SecretKeySelector',
      { name: 'a', key: 'b', optional: false },
      '(v1.SecretKeySelector){LocalObjectReference:(v1.LocalObjectReference){Name:(string)a} Key:(string)b Optional:(*bool)false}',
    ],
    [
      'fields that are not set',
      'core.v1.SecretKeySelector',
      {},
      '(v1.SecretKeySelector){LocalObjectReference:(v1.LocalObjectReference){Name:(string)} Key:(string) Optional:(*bool)<nil>}',
    ],
    [
      'lists and maps, whose keys are in the order of their bytes',
      'meta.v1.LabelSelector',
      {
        matchLabels: { '😀': '1', '～': '2', a: '' },
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['x', 'y'] },
          { key: 'b', operator: 'Exists', values: [] },
        ],
      },
      '(v1.LabelSelector){MatchLabels:(map[string]string)map[a: ～:2 😀:1] MatchExpressions:([]v1.LabelSelectorRequirement)' +
        '[{Key:(string)a Operator:(v1.LabelSelectorOperator)In Values:([]string)[x y]} {Key:(string)b Operator:(v1.LabelSelectorOperator)Exists Values:([]string)<nil>}]}',
    ],
    [
      'empty lists and maps as nil',
      'meta.v1.LabelSelector',
      { matchLabels: {}, matchExpressions: [] },
      '(v1.LabelSelector){MatchLabels:(map[string]string)<nil> MatchExpressions:([]v1.LabelSelectorRequirement)<nil>}',
    ],
    [
      'percentages and numbers',
      'policy.v1.PodDisruptionBudgetSpec',
      { minAvailable: '50%', maxUnavailable: 3 },
      '(v1.PodDisruptionBudgetSpec){MinAvailable:(*intstr.IntOrString){Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)50%} Selector:(*v1.LabelSelector)<nil> ' +
        'MaxUnavailable:(*intstr.IntOrString){Type:(intstr.Type)0 IntVal:(int32)3 StrVal:(string)} UnhealthyPodEvictionPolicy:(*v1.UnhealthyPodEvictionPolicyType)<nil>}',
    ],
    [
      'fields with other names in Go',
      'meta.v1.OwnerReference',
      { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true },
      '(v1.OwnerReference){APIVersion:(string)v1 Kind:(string)Pod Name:(string)p UID:(types.UID)u Controller:(*bool)true BlockOwnerDeletion:(*bool)<nil>}',
    ],
    [
      'times and field sets',
      'meta.v1.ManagedFieldsEntry',
      { manager: 'm', time: '2024-01-02T03:04:05Z', fieldsV1: { 'f:a': {} } },
      `(v1.ManagedFieldsEntry){Manager:(string)m Operation:(v1.ManagedFieldsOperationType) APIVersion:(string) Time:(*v1.Time){Time:(time.Time){wall:(uint64)0 ext:(int64)63839761445 loc:${noTimeZone}}} ` +
        'FieldsType:(string) FieldsV1:(*v1.FieldsV1){Raw:([]uint8)[123 34 102 58 97 34 58 123 125 125]} Subresource:(string)}',
    ],
    [
      'a time that is not set',
      'meta.v1.Condition',
      { type: 'T', observedGeneration: 2n ** 60n + 1n },
      '(v1.Condition){Type:(string)T Status:(v1.ConditionStatus) ObservedGeneration:(int64)1152921504606846977 ' +
        'LastTransitionTime:(v1.Time){Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}} Reason:(string) Message:(string)}',
    ],
  ])('prints %s', (_, type, object, dump) => {
    expect(dumpOf(type, object)).toBe(dump);
  });

  it.each([
    ['0', 'value:(int64)0 scale:(resource.Scale)0', '<nil>', '0', 'DecimalSI'],
    ['100m', 'value:(int64)100 scale:(resource.Scale)-3', '<nil>', '100m', 'DecimalSI'],
    ['1Gi', 'value:(int64)1073741824 scale:(resource.Scale)0', '<nil>', '1Gi', 'BinarySI'],
    // Upstream drops the text of multiples of eight.
    ['8Gi', 'value:(int64)8589934592 scale:(resource.Scale)0', '<nil>', '', 'BinarySI'],
    ['12e6', 'value:(int64)12 scale:(resource.Scale)6', '<nil>', '12e6', 'DecimalExponent'],
    ['-5', 'value:(int64)-5 scale:(resource.Scale)0', '<nil>', '-5', 'DecimalSI'],
    ['1Ei', 'value:(int64)0 scale:(resource.Scale)0', big('false', '0 62500000'), '', 'BinarySI'],
    ['-3Ei', 'value:(int64)0 scale:(resource.Scale)0', big('true', '0 187500000'), '', 'BinarySI'],
    [
      '123456789012345678901m',
      'value:(int64)0 scale:(resource.Scale)0',
      big('false', '17390916765208000320 6692605'),
      '',
      'DecimalSI',
    ],
  ])('prints the quantity %s', (quantity, small, large, text, format) => {
    expect(dumpOf('core.v1.ResourceQuotaSpec', { hard: { a: quantity } })).toBe(
      `(v1.ResourceQuotaSpec){Hard:(v1.ResourceList)map[a:{i:(resource.int64Amount){${small}} d:(resource.infDecAmount){Dec:(*inf.Dec)${large}} ` +
        `s:(string)${text} Format:(resource.Format)${format}}] Scopes:([]v1.ResourceQuotaScope)<nil> ScopeSelector:(*v1.ScopeSelector)<nil>}`,
    );
  });

  it.each([
    ['core.v1.Secret', /Secret cannot be printed: typeMeta is not on the protobuf wire/],
    ['coordination.v1.LeaseSpec', /kind microTime cannot be printed/],
    ['apiextensions.v1.JSONSchemaProps', /cannot be printed/],
  ])('does not print %s, which has types that pod templates do not have', (type, problem) => {
    expect(() => dumpOf(type, {})).toThrow(problem);
  });
});

function big(negative: string, words: string): string {
  return `{unscaled:(big.Int){neg:(bool)${negative} abs:(big.nat)[${words}]} scale:(inf.Scale)9}`;
}
