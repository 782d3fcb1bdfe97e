import { FlagError, OptionsError } from '@coxswain/component-base';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from './load-configuration.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { parseSchedulerOptions as parse, schedulerHelp } from './parse-options.ts';
import { schedulerFlags } from './scheduler-flags.ts';
import { upstreamFlags } from './upstream-flags.test-data.ts';

describe('the flags', () => {
  it('are all of upstream’s, each in one table', () => {
    const names = [schedulerFlags, ignoredFlags, refusedFlags].flatMap((table) => Object.keys(table));
    expect(names.sort()).toEqual([...upstreamFlags].sort());
  });

  it('are parsed as by upstream', () => {
    expect(parse(['--leader-elect=false', '--kube-api-qps=7.5', '-v2', '--profiling=false'])).toEqual({
      wanted: 'run',
      options: { leaderElect: false, kubeApiQps: 7.5, v: 2, profiling: false },
      notices: [],
    });
    expect(parse(['-h'])).toEqual({ wanted: 'help' });
  });

  it('without effect are reported in notices', () => {
    const args = [
      '--config=x.yaml',
      '--kubeconfig=y',
      '--feature-gates=OpportunisticBatching=false,ComponentFlagz=true',
    ];
    expect(parse(args)).toMatchObject({
      notices: [
        '--kubeconfig makes no difference: --config takes precedence',
        '--feature-gates: OpportunisticBatching makes no difference: the scheduler uses the defaults of v1.36',
      ],
    });
  });

  it('that cannot work are refused', () => {
    expect(() => parse(['--foo'])).toThrow(new FlagError('unknown flag: --foo', { unknown: 'foo' }));
    expect(() => parse(['--feature-gates=Foo=true'])).toThrow(OptionsError);
    expect(() => parse(['--logging-format=xml'])).toThrow('format: Invalid value: "xml": Unsupported log format');
  });

  it('are all in the help', () => {
    const help = schedulerHelp('cox scheduler');
    for (const name of upstreamFlags) expect(help).toContain(name);
  });
});

describe('the configuration of a command line', () => {
  it('comes from its flags', async () => {
    const config = await loadConfiguration({ kubeconfig: 'k', kubeApiBurst: 3, leaderElectResourceName: 'mine' });
    expect(config.clientConnection).toMatchObject({ kubeconfig: 'k', qps: 50, burst: 3 });
    expect(config.leaderElection).toMatchObject({ leaderElect: true, resourceName: 'mine' });
    expect(config).toMatchObject({ enableProfiling: true, enableContentionProfiling: true });
  });

  it('can disable profiling', async () => {
    const config = await loadConfiguration({ profiling: false });
    expect(config).toMatchObject({ enableProfiling: false, enableContentionProfiling: true });
  });

  it('is checked', async () => {
    await expect(loadConfiguration({ leaderElectResourceLock: 'endpoints' })).rejects.toThrow(
      'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
    );
  });
});
