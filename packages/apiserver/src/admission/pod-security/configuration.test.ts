import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { readPodSecurityConfiguration } from './configuration.ts';
import { describe as describeLevel } from './policy.ts';

const read = (configuration: object) => readPodSecurityConfiguration(readConfiguration(JSON.stringify(configuration)));

describe('the configuration of pod security', () => {
  it('is privileged by default', () => {
    const { defaults, exemptions } = read({ kind: 'PodSecurityConfiguration', defaults: { enforce: '' } });
    expect(Object.values(defaults).map(describeLevel)).toEqual(Array(3).fill('privileged:latest'));
    expect([...exemptions.namespaces, ...exemptions.usernames, ...exemptions.runtimeClasses]).toEqual([]);
  });

  it('contains a level and a version for each mode, and exemptions', () => {
    const { defaults, exemptions } = read({
      defaults: { enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted', 'audit-version': 'v1.0' },
      exemptions: { namespaces: ['free'], usernames: ['system:alice'], runtimeClasses: ['rc'] },
    });
    expect(describeLevel(defaults.enforce)).toBe('baseline:v1.30');
    expect(describeLevel(defaults.warn)).toBe('restricted:latest');
    expect(describeLevel(defaults.audit)).toBe('privileged:v1.0');
    expect([exemptions.namespaces, exemptions.usernames, exemptions.runtimeClasses]).toEqual([
      new Set(['free']),
      new Set(['system:alice']),
      new Set(['rc']),
    ]);
  });

  const refused: Record<string, [object, string]> = {
    'unknown fields': [
      { defaults: { enforc: 'x' }, bla: 1 },
      'strict decoding error: unknown field "bla", unknown field "defaults.enforc"',
    ],
    'invalid levels and versions': [
      { defaults: { enforce: 'x', 'warn-version': 'yy', audit: 'z' } },
      'PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, audit: must be one of privileged, baseline, restricted, warn-version: must be "latest" or "v1.x"]',
    ],
    'an invalid version': [
      { defaults: { 'audit-version': 'v1.01' } },
      'PodSecurity configuration error: audit-version: must be "latest" or "v1.x"',
    ],
    'duplicate or empty exemptions': [
      { exemptions: { namespaces: ['b', 'b'], usernames: ['', 'u', 'u'] } },
      'PodSecurity invalid: [exemptions.namespaces[1]: Duplicate value: "b", exemptions.usernames[0]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "u"]',
    ],
  };
  for (const [sentence, [configuration, message]] of Object.entries(refused))
    it(`rejects ${sentence}`, () => expect(() => read(configuration)).toThrow(new Error(message)));
});
