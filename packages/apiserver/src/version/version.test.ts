import { expect, it } from 'vitest';
import { bytesOf, contextFor } from '../discovery/request-context.test-data.ts';
import { versionHandler } from './index.ts';

it('serves the version in upstream’s form', async () => {
  const response = await versionHandler()(contextFor('/version'));
  const text = bytesOf(response).toString();
  expect(response.headers).toEqual({ 'content-type': 'application/json' });
  expect(text).toMatch(/^{\n {2}"major": "1",\n {2}"minor": "36",\n/);
  expect(Object.keys(JSON.parse(text))).toEqual([
    'major',
    'minor',
    'emulationMajor',
    'emulationMinor',
    'minCompatibilityMajor',
    'minCompatibilityMinor',
    'gitVersion',
    'gitCommit',
    'gitTreeState',
    'buildDate',
    'goVersion',
    'compiler',
    'platform',
  ]);
  expect(JSON.parse(text)).toMatchObject({ gitVersion: 'v1.36.4', buildDate: '1970-01-01T00:00:00Z' });
});

it.each([
  ['POST', '', 405, 'the server does not allow this method on the requested resource'],
  ['GET', 'application/yaml', 406, '406: Not Acceptable\n\nAvailable representations: application/json'],
])('refuses %s %s', async (method, accept, code, message) => {
  await expect(versionHandler()(contextFor('/version', { method, headers: { accept } }))).rejects.toMatchObject({
    code,
    message,
  });
});
