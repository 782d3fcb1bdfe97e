import { describe, expect, it } from 'vitest';
import type { SelectableDevice } from './device-selector.ts';
import { DeviceSelectors } from './device-selectors.ts';

const selectors = new DeviceSelectors(10);
const device: SelectableDevice = {
  driver: 'gpu.example.com',
  attributes: {
    model: { string: 'a100' },
    slots: { int: 3 },
    healthy: { bool: true },
    version: { version: '1.2.3' },
    'other.example.com/numa': { int: 1 },
  },
  capacity: { memory: { value: '80Gi' } },
};

describe('a selector', () => {
  it.each([
    'device.driver == "gpu.example.com"',
    'device.attributes["gpu.example.com"].model == "a100"',
    'device.attributes["other.example.com"].numa + 2 == device.attributes[device.driver].slots',
    'device.attributes[device.driver].healthy',
    'device.attributes[device.driver].version.isLessThan(semver("2.0.0"))',
    'device.capacity[device.driver].memory.isGreaterThan(quantity("40Gi"))',
    'cel.bind(own, device.attributes[device.driver], own.model.startsWith("a") && own.slots > 1)',
    '!device.allowMultipleAllocations',
    // A missing domain reads as an empty map, but `in` and `has` report it as missing.
    'device.attributes["nowhere.example.com"].size() == 0',
    '!("nowhere.example.com" in device.attributes) && "gpu.example.com" in device.attributes',
    '!has(device.attributes["nowhere.example.com"].model)',
    'device.attributes["nowhere.example.com"].?model.orValue("none") == "none"',
  ])('can use the fields of the device: %s', (expression) => {
    expect(selectors.get(expression).matches(device)).toBe(true);
  });

  it.each([
    ['device.attributes[device.driver].nothing == 1', 'no such key: nothing'],
    [
      'device.attributes[device.driver].model',
      "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'",
    ],
    [
      'device.attributes[device.driver].slots',
      "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool",
    ],
    [
      'device.attributes[device.driver].version',
      "CEL result of type kubernetes.Semver could not be converted to bool: type conversion error from 'Semver' to 'bool'",
    ],
  ])('fails with upstream’s message: %s', (expression, message) => {
    expect(() => selectors.get(expression).matches(device)).toThrow(message);
  });

  it('fails for an attribute of an unsupported type', () => {
    const strange: SelectableDevice = { driver: 'd', attributes: { list: { strings: ['a'] } } };
    expect(() => selectors.get('true').matches(strange)).toThrow('attribute list: unsupported attribute value');
  });

  it.each([
    ['device.driver', 'must evaluate to bool or the unknown type, not string'],
    ['dyn(device.driver)', 'must evaluate to bool or the unknown type, not dyn'],
    [
      'device.attributes',
      'must evaluate to bool or the unknown type, not map(string, map(string, google.protobuf.Any))',
    ],
    [
      'device.nothing',
      "compilation failed: ERROR: <input>:1:7: undefined field 'nothing'\n | device.nothing\n | ......^",
    ],
  ])('is refused when it is invalid: %s', (expression, message) => {
    expect(() => selectors.get(expression)).toThrow(message);
  });
});

describe('compiled selectors', () => {
  it('are cached, and the least recently used one is evicted first', () => {
    const two = new DeviceSelectors(2);
    const first = two.get('true');
    const second = two.get('false');
    expect(two.get('true')).toBe(first);
    two.get('1 == 1');
    expect(two.get('true')).toBe(first);
    expect(two.get('false')).not.toBe(second);
  });
});
