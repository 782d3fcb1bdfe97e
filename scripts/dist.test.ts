import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { describe, expect, it } from 'vitest';

/* Other tests use the sources. These use the compiled packages that users install. */
const packages = join(import.meta.dirname, '..', 'packages');

describe.each(readdirSync(packages))('%s as built', (name) => {
  it('exists (npm run build)', () => expect(existsSync(join(packages, name, 'dist', 'index.js'))).toBe(true));

  it('can be imported in a new process', () => {
    const script = `console.log(Object.keys(await import('@coxswain/${name}')).length > 0)`;
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: packages }).toString()).toBe(
      'true\n',
    );
  });
});

it('cox runs', () => {
  const cox = join(packages, 'cli', 'bin', 'cox.js');
  expect(execFileSync(process.execPath, [cox, 'api-resources', '--api-group', 'apps']).toString()).toContain(
    'deployments',
  );
});

it('cox finds a module that it loads on demand: the client of etcd', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cox-etcd-'));
  const cox = join(packages, 'cli', 'bin', 'cox.js');
  const flags = ['--etcd-servers=http://127.0.0.1:1', '--secure-port=0', `--data-dir=${directory}`];
  const child = spawn(cox, ['apiserver', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'exit');
  try {
    let said = '';
    for await (const chunk of child.stderr) {
      said += chunk;
      if (/^error|Waiting for etcd/m.test(said)) break;
    }
    expect(said).toContain('"Waiting for etcd" err="no connection to etcd (http://127.0.0.1:1');
  } finally {
    child.kill('SIGKILL');
    await gone;
    rmSync(directory, { recursive: true });
  }
});

describe('the cache of compiled code', () => {
  /** Loads a script in a new process. Returns its exports, and the scripts for which the cache was used. */
  const load = (directory: string, file: string, flags = ''): { value: unknown; reused: string[] } => {
    const script = `
      const { setFlagsFromString } = process.getBuiltinModule('node:v8');
      ${flags}
      const { KeptScripts } = await import('@coxswain/component-base/kept-scripts');
      const scripts = new KeptScripts(${JSON.stringify(directory)});
      const { value } = scripts.load('${file}');
      console.log(JSON.stringify({ value, reused: scripts.reused }));
      scripts.keepCompiled();`;
    const options = { cwd: packages };
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], options).toString());
  };

  it('of cox is written by the build', () => {
    const flags = readFileSync(join(packages, 'cli', 'bin', 'cox.js'), 'utf8').match(/^setFlagsFromString\(.*$/gm)!;
    expect(load(join(packages, 'cli', 'dist', 'bundle'), 'cox.cjs', flags.join('\n')).reused).toContain('cox.cjs');
  });

  it('of a cluster in a test is written by the build', () => {
    const kept = readdirSync(join(packages, 'testkit', 'dist', 'kept'));
    expect(kept).toContain(`cluster.cjs.${process.version}-${cachedDataVersionTag().toString(16)}.cache`);
  });

  it('is written by the first start, and ignored when it is outdated or incomplete', () => {
    const directory = mkdtempSync(join(tmpdir(), 'kept-scripts-'));
    try {
      const write = (file: string, text: string): void =>
        writeFileSync(join(directory, file), `(function (exports, require, module) {${text}})`);
      write('main.cjs', `exports.value = require('./part.cjs').part;`);
      write('part.cjs', 'exports.part = 1;');
      expect(load(directory, 'main.cjs')).toEqual({ value: 1, reused: [] });
      expect(load(directory, 'main.cjs')).toEqual({ value: 1, reused: ['main.cjs', 'part.cjs'] });
      write('part.cjs', 'exports.part = 1 + 1;');
      expect(load(directory, 'main.cjs')).toEqual({ value: 2, reused: ['main.cjs'] });
      const cache = readdirSync(directory).find((name) => name.startsWith('part') && name.endsWith('.cache'))!;
      writeFileSync(join(directory, cache), readFileSync(join(directory, cache)).subarray(0, 100));
      expect(load(directory, 'main.cjs')).toEqual({ value: 2, reused: ['main.cjs'] });
      // No temporary files are left.
      expect(readdirSync(directory)).toHaveLength(4);
      const otherFlags = `setFlagsFromString('--stack-size=900');`;
      expect(load(directory, 'main.cjs', otherFlags).reused).toEqual([]);
      expect(load(directory, 'main.cjs', otherFlags).reused).toEqual(['main.cjs', 'part.cjs']);
      expect(load(directory, 'main.cjs').reused).toContain('main.cjs');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
