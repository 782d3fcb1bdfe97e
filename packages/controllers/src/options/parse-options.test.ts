import { FlagError, OptionsError } from '@coxswain/component-base';
import { describe, expect, it } from 'vitest';
import { allControllers, chosenControllers } from '../all-controllers.ts';
import { controllerManagerFlags } from './controller-manager-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { controllerManagerHelp, parseControllerManagerOptions as parse } from './parse-options.ts';
import { upstreamFlags } from './upstream-flags.test-data.ts';

const tables = [controllerManagerFlags, ignoredFlags, refusedFlags];

describe('the flags', () => {
  it('are all of upstream’s, each in one table', () => {
    const names = tables.flatMap((table) => Object.keys(table)).sort();
    expect(names).toEqual([...upstreamFlags].sort());
  });

  it('are read as upstream reads them', () => {
    expect(parse(['--controllers=*,-job', '--kube-api-qps=50', '--leader-elect=false', '-v4'])).toEqual({
      wanted: 'run',
      options: { controllers: ['*', '-job'], kubeApiQps: 50, leaderElect: false },
      notices: [],
    });
    expect(parse(['--secure-port=10257'])).toMatchObject({
      notices: ['--secure-port makes no difference: health and metrics are not served yet'],
    });
    expect(parse(['-h'])).toEqual({ wanted: 'help' });
    expect(parse(['--version'])).toEqual({ wanted: 'version' });
  });

  it.each<[string[], string]>([
    [['--controllers=foo,-bar'], '"foo" is not in the list of known controllers'],
    [['--allocate-node-cidrs'], '--allocate-node-cidrs needs --cluster-cidr: which addresses are there to give?'],
    [
      ['--cluster-signing-key-file=x'],
      '--cluster-signing-cert-file and --cluster-signing-key-file go together: give both',
    ],
    [['--cloud-provider=aws'], '--cloud-provider: this controller manager does not have clouds; leave the flag out'],
  ])('%j cannot work', (args, message) => {
    expect(() => parse(args)).toThrow(new OptionsError([message]));
  });

  it('are refused when nobody knows them', () => {
    expect(() => parse(['--foo'])).toThrow(new FlagError('unknown flag: --foo'));
    expect(() => parse(['foo'])).toThrow('"kube-controller-manager" does not take any arguments, got ["foo"]');
  });

  it('are all in the help', () => {
    const help = controllerManagerHelp('cox controller-manager');
    for (const name of upstreamFlags) expect(help).toMatch(new RegExp(`--${name}\\b`));
    expect(help).toContain('deployment-controller');
  });
});

describe('--controllers', () => {
  const all = allControllers();
  const names = (...wanted: string[]): string[] => chosenControllers(all, wanted).map(({ name }) => name);

  it('chooses by name, by older names, and all but some', () => {
    expect(names('deployment')).toEqual(['deployment-controller']);
    expect(names('-deployment', 'job-controller')).toEqual(['job-controller']);
    expect(names('*')).not.toContain('token-cleaner-controller');
    expect(names('*', 'tokencleaner')).toContain('token-cleaner-controller');
    expect(names('*', '-garbagecollector')).not.toContain('garbage-collector-controller');
    expect(names('*', '-garbagecollector').length).toBe(names('*').length - 1);
  });

  it('knows each by one name', () => {
    const known = all.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(known).size).toBe(known.length);
  });
});
