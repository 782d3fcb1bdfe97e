import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import { validateConditions } from './condition.ts';

const good = { type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z', reason: 'Ok', message: '' };
const path = Path.of('status', 'conditions');
const reason =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

describe('validateConditions', () => {
  it('accepts valid ones', () => {
    expect(validateConditions(undefined, path)).toEqual([]);
    expect(validateConditions([good, { ...good, type: 'a.b/C', status: 'Unknown', reason: 'A,B:c_' }], path)).toEqual(
      [],
    );
  });

  it('reports all errors of a condition', () => {
    const bad = {
      type: 'Ready',
      status: 'yes',
      observedGeneration: -1,
      lastTransitionTime: null,
      reason: '',
      message: 'm'.repeat(32769),
    };
    expect(validateConditions([good, bad], path).map(String)).toEqual([
      'status.conditions[1].type: Duplicate value: "Ready"',
      'status.conditions[1].status: Unsupported value: "yes": supported values: "False", "True", "Unknown"',
      'status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'status.conditions[1].lastTransitionTime: Required value',
      'status.conditions[1].reason: Required value',
      'status.conditions[1].message: Too long: may not be more than 32768 bytes',
    ]);
  });

  it('checks form and length of a reason', () => {
    expect(validateConditions([{ ...good, reason: 'a:' }], path).map(String)).toEqual([
      `status.conditions[0].reason: Invalid value: "a:": ${reason}`,
    ]);
    expect(validateConditions([{ ...good, reason: 'a'.repeat(1025) }], path).map(String)).toEqual([
      'status.conditions[0].reason: Too long: may not be more than 1024 bytes',
    ]);
  });
});
