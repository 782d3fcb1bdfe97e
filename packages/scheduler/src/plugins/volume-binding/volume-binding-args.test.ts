import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { readVolumeBindingArgs } from './volume-binding-args.ts';

describe('args', () => {
  it('have defaults', () => {
    expect(readVolumeBindingArgs(undefined)).toEqual({ bindTimeoutSeconds: 600 });
    expect(readVolumeBindingArgs({ bindTimeoutSeconds: 0 })).toEqual({ bindTimeoutSeconds: 0 });
  });

  it.each<[object, string]>([
    [
      { bindTimeoutSeconds: -1 },
      'args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value',
    ],
    [
      { shape: [{ utilization: 0, score: 10 }] },
      'args.shape: Invalid value: [{"utilization":0,"score":10}]: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring',
    ],
  ])('%j are refused', (args, message) => {
    expect(() => readVolumeBindingArgs(args, Path.of('args'))).toThrow(new Error(message));
  });
});
