import { describe, expect, it } from 'vitest';
import { isSerial, readTiers, sigOf } from './tiers.ts';

describe('the tiers', () => {
  const tests = readTiers();

  it('name each of the 446 conformance tests once', () => {
    expect(tests).toHaveLength(446);
    expect(new Set(tests.map(({ name }) => name)).size).toBe(446);
  });

  it('use ginkgo’s names of tests', () => {
    for (const { name } of tests) expect(name).toMatch(/^\[sig-[a-z-]+\] .*\[Conformance\]$/);
  });

  it('give a reason for each test that needs a real container, and for no other', () => {
    for (const { name, tier, reason } of tests) expect([name, Boolean(reason)]).toEqual([name, tier === 'containers']);
  });

  it('are sorted by name', () => {
    const names = tests.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
  });
});

describe('a name', () => {
  it.each([
    ['[sig-node] Pods should get a host IP [NodeConformance] [Conformance]', 'sig-node'],
    ['[sig-api-machinery] Namespaces [Serial] should patch a Namespace [Conformance]', 'sig-api-machinery'],
    ['no brackets', 'none'],
  ])('%s belongs to %s', (name, sig) => {
    expect(sigOf(name)).toBe(sig);
  });

  it.each([
    ['[sig-apps] Daemon set [Serial] should run and stop simple daemon [Conformance]', true],
    ['[sig-apps] Deployment should run the lifecycle of a Deployment [Conformance]', false],
    ['[sig-node] Serial without brackets [Conformance]', false],
  ])('%s is serial: %s', (name, expected) => {
    expect(isSerial(name)).toBe(expected);
  });
});
