import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FuzzServer, fuzzRuns } from './fuzz-server.ts';
import { collectionOf, definitions, hostileCustomRequest, steady, steadyObject } from './hostile-definitions.ts';

let fuzz: FuzzServer;

beforeAll(async () => {
  fuzz = await FuzzServer.start();
  expect(await fuzz.sendJson('POST', definitions, steady)).toMatchObject({ status: 201 });
  expect(await fuzz.sendJson('POST', collectionOf('v1'), steadyObject)).toMatchObject({ status: 201 });
});
afterAll(() => fuzz.stop());

/** Writes by the server itself, which updates the status of definitions and their APIServices asynchronously. */
const ownWrite = /^\/registry\/(leases|masterleases|apiregistration.k8s.io|apiextensions.k8s.io)\//;

describe('random custom resources', () => {
  it('get valid responses in time, and change nothing when they are refused', { timeout: 3_600_000 }, async () => {
    expect(await fuzz.problems(fuzzRuns(400), hostileCustomRequest, (key) => ownWrite.test(key))).toEqual([]);
    expect(fuzz.stray).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('leak no memory', { timeout: 600_000 }, async () => {
    expect(await fuzz.growth(hostileCustomRequest, 60)).toBeLessThan(4 * 1024 * 1024);
  });
});
