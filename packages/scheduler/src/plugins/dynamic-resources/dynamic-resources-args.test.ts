import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { readDynamicResourcesArgs } from './dynamic-resources-args.ts';

describe('the args of DynamicResources', () => {
  it('have defaults', () => {
    expect(readDynamicResourcesArgs(undefined)).toEqual({ filterTimeoutMs: 10_000, bindingTimeoutMs: 600_000 });
  });

  it('are durations', () => {
    expect(readDynamicResourcesArgs({ filterTimeout: '0s', bindingTimeout: '1m30s' })).toEqual({
      filterTimeoutMs: 0,
      bindingTimeoutMs: 90_000,
    });
  });

  it('are refused when they are invalid', () => {
    expect(() => readDynamicResourcesArgs({ filterTimeout: '-1s', bindingTimeout: '10ms' }, Path.of('args'))).toThrow(
      '[args.filterTimeout: Invalid value: "-1s": must be zero or positive, args.bindingTimeout: Invalid value: "10ms": must be at least 1 second]',
    );
    expect(() => readDynamicResourcesArgs({ timeout: '1s' })).toThrow('strict decoding error: unknown field "timeout"');
  });
});
