import { describe, expect, it } from 'vitest';
import { apiServerFlags } from './api-server-flags.ts';
import { apiServerHelp } from './help.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { parseOptions } from './parse-options.ts';
import { upstreamFlags } from './upstream-flags.test-data.ts';

const tables = [apiServerFlags, ignoredFlags, refusedFlags];
const ours = ['data-dir', 'kubeconfig-out', 'memory'];

describe('the flags of kube-apiserver', () => {
  it('are all known, each in one table', () => {
    const known = tables.flatMap((table) => Object.keys(table));
    expect(known.toSorted()).toEqual(
      [...upstreamFlags.filter((name) => name !== 'help' && name !== 'version'), ...ours].toSorted(),
    );
  });

  it('are all in the help text', () => {
    const help = apiServerHelp('cox apiserver');
    for (const name of [...upstreamFlags, ...ours]) expect(help).toMatch(new RegExp(` --${name}\\b`));
  });
});

const parse = (...args: string[]) => parseOptions(['--memory', ...args]);

describe('parsing options', () => {
  it('returns the given options with names in camel case', () => {
    expect(parse('--secure-port=0', '--etcd-prefix', '/x', '--runtime-config=api/all=true')).toEqual({
      wanted: 'run',
      options: { memory: true, securePort: 0, etcdPrefix: '/x', runtimeConfig: new Map([['api/all', 'true']]) },
      notices: [],
    });
  });

  it('prefers given options to the defaults of the caller', () => {
    const parsed = parseOptions(['--data-dir=mine'], { dataDir: 'default', bindAddress: '127.0.0.1' });
    expect(parsed).toMatchObject({ options: { dataDir: 'mine', bindAddress: '127.0.0.1' } });
  });

  it.each([
    ['--help', 'help'],
    ['-h', 'help'],
    ['--version', 'version'],
    ['--version=raw', 'version'],
    ['--version=false', 'run'],
  ])('%s requests %s', (arg, wanted) => {
    expect(parse(arg).wanted).toBe(wanted);
  });

  it('accepts ignored flags, some with a notice', () => {
    const parsed = parse('-v=4', '--goaway-chance=0.01', '--contention-profiling', '--tracing-config-file=x');
    expect(parsed).toMatchObject({
      options: { memory: true },
      notices: ['--tracing-config-file makes no difference: no traces are recorded'],
    });
  });

  const refusals: Record<string, [args: string[], message: string]> = {
    'a socket for profiles': [
      ['--debug-socket-path=x'],
      '--debug-socket-path: this server does not have a socket for profiles; leave the flag out',
    ],
    'no garbage collection': [
      ['--enable-garbage-collector=false'],
      '--enable-garbage-collector: this server does not have a way to run without garbage collection; leave the flag out',
    ],
    'several flags and invalid values, all in one error': [
      ['--egress-selector-config-file=x', '--debug-socket-path=x', '--secure-port=70000'],
      '[--egress-selector-config-file: this server does not have an egress selector; leave the flag out, --debug-socket-path: this server does not have a socket for profiles; leave the flag out, --secure-port 70000 must be between 0 and 65535, inclusive. 0 takes a free port]',
    ],
  };

  it.each(Object.entries(refusals))('refuses %s', (_, [args, message]) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ name: 'OptionsError', message }));
  });

  it('does not refuse a flag with its harmless value', () => {
    expect(parse('--enable-garbage-collector', '--debug-socket-path=', '--logging-format=text').wanted).toBe('run');
  });

  it('refuses positional arguments', () => {
    expect(() => parse('a', 'b')).toThrow('"kube-apiserver" does not take any arguments, got ["a" "b"]');
  });
});
