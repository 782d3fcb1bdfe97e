import { describe, expect, test } from 'vitest';
import { formatTable, isGood } from './table.ts';

const stall = {
  scenario: 'parsing',
  contender: 'cox',
  findings: [{ measure: 'others wait', value: '12 ms', ok: true }],
};

describe('the table of hostile use', () => {
  test('has a row for each measure and a column for each contender', () => {
    const other = {
      ...stall,
      contender: 'kube-apiserver',
      findings: [{ measure: 'others wait', value: '90 ms', ok: false }],
    };
    expect(formatTable([stall, other])).toBe(
      'scenario  measure      cox    kube-apiserver\nparsing   others wait  12 ms  90 ms BAD\n',
    );
  });

  test('has the reason when a scenario was not carried out', () => {
    expect(formatTable([{ scenario: 'disk', contender: 'cox', findings: [], why: 'mount: no right' }])).toContain(
      'not carried out  mount: no right',
    );
  });

  test('is good when every scenario was carried out and no finding is bad', () => {
    expect(isGood([stall])).toBe(true);
    expect(isGood([{ ...stall, findings: [{ measure: 'm', value: 'v', ok: false }] }])).toBe(false);
    expect(isGood([{ ...stall, why: 'it did not start' }])).toBe(false);
    expect(isGood([{ ...stall, findings: [{ measure: 'm', value: 'v' }] }])).toBe(true);
  });
});
