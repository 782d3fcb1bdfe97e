import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jobScript, readResults } from './job.ts';

it.skipIf(process.platform !== 'linux')('runs all suites, and reports their status and time', () => {
  const directory = mkdtempSync(join(tmpdir(), 'coxswain-job-'));
  const results = join(directory, 'results');
  writeFileSync(results, '');
  const suites = [
    { name: 'good', about: '', command: "echo 'it said' $COXSWAIN_TIME_FACTOR" },
    { name: 'bad', about: '', command: 'exit 3' },
  ];
  const script = jobScript(suites, { timeFactor: 7, suiteSeconds: 60 }).replaceAll('> "$results"', '>> "$results"');
  const output = execFileSync('bash', ['-c', script], { env: { ...process.env, results }, encoding: 'utf8' });
  expect(output).toBe('=== good\nit said 7\n=== bad\n');
  expect(readResults(readFileSync(results, 'utf8'))).toEqual([
    { name: 'good', status: 0, seconds: expect.any(Number) },
    { name: 'bad', status: 3, seconds: expect.any(Number) },
  ]);
  rmSync(directory, { recursive: true });
});

it('tests are run from their bundles, with the variables of their suite', () => {
  const tests = ['packages/linux/src/cgroups', 'packages/kubelet/test/real-node.test.ts'];
  const suite = { name: 'node', about: '', tests, environment: { COXSWAIN_CGROUP_DRIVER: 'systemd' } };
  expect(jobScript([suite], { timeFactor: 1, suiteSeconds: 60 })).toMatch(
    /'COXSWAIN_CGROUP_DRIVER=systemd node .* bundled-tests\/packages\/linux\/src\/cgroups bundled-tests\/packages\/kubelet\/test\/real-node\.test\.mjs'/,
  );
});

it('a line that was cut off is no result', () => {
  expect(readResults('one 0 12\ntwo 1')).toEqual([{ name: 'one', status: 0, seconds: 12 }]);
});
