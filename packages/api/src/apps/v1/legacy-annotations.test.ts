import { DecodeError } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { setDaemonSetDefaults, setDeploymentDefaults } from './defaults.ts';
import { setAnnotation } from './legacy-annotations.ts';

const object = (annotations: Record<string, string>) => ({
  metadata: { annotations },
  spec: { selector: {}, template: {} },
});

describe('annotations of former fields', () => {
  it('must be integers, as when upstream decodes them', () => {
    expect(() => setDaemonSetDefaults(object({ 'deprecated.daemonset.template.generation': 'x' }))).toThrow(
      new DecodeError('strconv.ParseInt: parsing "x": invalid syntax'),
    );
    const tooLarge = '99999999999999999999';
    expect(() => setDeploymentDefaults(object({ 'deprecated.deployment.rollback.to': tooLarge }))).toThrow(
      new DecodeError(
        `failed to parse annotation[deprecated.deployment.rollback.to]=${tooLarge} as int64: strconv.ParseInt: parsing "${tooLarge}": value out of range`,
      ),
    );
  });

  it('are added to annotations of any name', () => {
    const metadata = { annotations: JSON.parse('{"__proto__":"x","b":"y"}') as Record<string, string> };
    setAnnotation(metadata, 'a', '1');
    expect(Object.entries(metadata.annotations)).toEqual([
      ['__proto__', 'x'],
      ['b', 'y'],
      ['a', '1'],
    ]);
  });

  it('leave no empty map when removed', () => {
    const metadata = { annotations: { a: '1' } };
    setAnnotation(metadata, 'a', undefined);
    expect(metadata).toEqual({});
  });
});
