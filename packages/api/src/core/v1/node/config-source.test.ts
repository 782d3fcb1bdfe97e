import { Path } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { validateConfigSourceSpec, validateConfigStatus } from './config-source.ts';

const configMap = { namespace: 'default', name: 'config', kubeletConfigKey: 'kubelet' };
const path = Path.of('config');

describe('a config source', () => {
  it('must have a reference', () => {
    expect(validateConfigSourceSpec({}, path).map(String)).toEqual([
      'config: Invalid value: {"ConfigMap":null}: exactly one reference subfield must be non-nil',
    ]);
  });

  it('must not have uid and resourceVersion in a spec', () => {
    expect(validateConfigSourceSpec({ configMap }, path)).toEqual([]);
    expect(
      validateConfigSourceSpec({ configMap: { ...configMap, uid: 'u', resourceVersion: '1' } }, path).map(String),
    ).toEqual([
      'config.configMap.uid: Forbidden: uid must not be set in spec',
      'config.configMap.resourceVersion: Forbidden: resourceVersion must not be set in spec',
    ]);
  });

  it('must have uid and resourceVersion in a status', () => {
    const source = { configMap: { ...configMap, uid: 'u', resourceVersion: '1' } };
    expect(validateConfigStatus({ assigned: source, active: { configMap } }, path).map(String)).toEqual([
      'config.active.configMap.uid: Required value',
      'config.active.configMap.resourceVersion: Required value',
    ]);
  });

  it('must refer to a key of a config map', () => {
    const errors = validateConfigSourceSpec({ configMap: { namespace: '', name: 'N_', kubeletConfigKey: '..' } }, path);
    expect(errors.map(({ field, type }) => `${field} ${type}`)).toEqual([
      'config.configMap.namespace FieldValueRequired',
      'config.configMap.name FieldValueInvalid',
      'config.configMap.kubeletConfigKey FieldValueInvalid',
    ]);
  });
});
