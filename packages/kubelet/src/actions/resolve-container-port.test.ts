import { expect, it } from 'vitest';
import { resolveContainerPort } from './resolve-container-port.ts';

const container = { name: 'web', ports: [{ name: 'http', containerPort: 8080 }] };

const cases: Record<string, [number | string, number | string]> = {
  'a number': [80, 80],
  'a name': ['http', 8080],
  'a number as text': ['90', 90],
  'a name that the container does not have': ['htttp', 'strconv.Atoi: parsing "htttp": invalid syntax'],
  'a number that is no port': [0, 'invalid port number: 0'],
};

it.each(Object.entries(cases))('of %s', (_, [port, expected]) => {
  if (typeof expected === 'number') expect(resolveContainerPort(port, container)).toBe(expected);
  else expect(() => resolveContainerPort(port, container)).toThrow(expected);
});
