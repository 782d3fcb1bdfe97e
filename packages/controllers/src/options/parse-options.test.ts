import { FlagError, OptionsError } from '@coxswain/component-base';
import { describe, expect, it } from 'vitest';
import { allControllers, chosenControllers } from '../all-controllers.ts';
import { controllerManagerFlags } from './controller-manager-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { controllerManagerHelp, parseControllerManagerOptions as parse } from './parse-options.ts';
import { upstreamFlags } from './upstream-flags.test-data.ts';

const tables = [controllerManagerFlags, ignoredFlags, refusedFlags];

describe('the flags', () => {
  it('are those of upstream, each in one table', () => {
    const names = tables.flatMap((table) => Object.keys(table)).sort();
    expect(names).toEqual([...upstreamFlags].sort());
  });

  it('are parsed as in upstream', () => {
    expect(parse(['--controllers=*,-job', '--kube-api-qps=50', '--leader-elect=false', '-v4'])).toEqual({
      wanted: 'run',
      options: { controllers: ['*', '-job'], kubeApiQps: 50, leaderElect: false, v: 4 },
      notices: [],
    });
    expect(parse(['--disabled-metrics=workqueue_depth'])).toMatchObject({
      notices: ['--disabled-metrics makes no difference: all metrics are served, with all labels'],
    });
    expect(parse(['-h'])).toEqual({ wanted: 'help' });
    expect(parse(['--version'])).toMatchObject({ wanted: 'version' });
  });

  it.each<[string[], string]>([
    [['--controllers=foo,-bar'], '"foo" is not in the list of known controllers'],
    [['--allocate-node-cidrs'], '--allocate-node-cidrs requires --cluster-cidr'],
    [
      ['--cluster-signing-key-file=x'],
      '--cluster-signing-cert-file and --cluster-signing-key-file go together: give both',
    ],
    [
      ['--cluster-signing-kubelet-serving-key-file=x'],
      '"cluster-signing-kubelet-serving": cannot specify key without cert',
    ],
    [['--feature-gates=Nonsense=true'], '--feature-gates: unrecognized feature gate: Nonsense'],
    [
      ['--feature-gates=kube:JobManagedBy=false'],
      '--feature-gates: cannot set feature gate JobManagedBy to false, feature is locked to true',
    ],
    [
      ['--secure-port=70000'],
      '--secure-port 70000 must be between 0 and 65535, inclusive. 0 for turning off secure port',
    ],
    [['--tls-cert-file=x'], '--tls-cert-file and --tls-private-key-file go together: give both'],
    [['--tls-min-version=VersionTLS14'], 'unknown tls version "VersionTLS14"'],
    [['--tls-cipher-suites=NONE'], "Cipher suite NONE not supported or doesn't exist"],
    [
      ['--authorization-always-allow-paths=/a*b'],
      '--authorization-always-allow-paths: only trailing * allowed in "a*b"',
    ],
    [['--requestheader-group-headers= '], 'empty value in "requestheader-group-headers"'],
    [
      ['--cloud-provider=aws'],
      '--cloud-provider: this controller manager does not have cloud providers; leave the flag out',
    ],
  ])('%j are rejected', (args, message) => {
    expect(() => parse(args)).toThrow(new OptionsError([message]));
  });

  it('for signers are given for each signer or for all', () => {
    const files = ['kubelet-client-cert', 'kubelet-client-key', 'cert', 'key'];
    const args = files.map((name) => `--cluster-signing-${name}-file=x`);
    expect(parse(args.slice(0, 2))).toMatchObject({ wanted: 'run' });
    expect(() => parse(args)).toThrow(
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    );
  });

  it('for features are accepted, with notices about those without effect', () => {
    const gates = '--feature-gates=JobManagedBy=true, kube:ComponentFlagz=false';
    expect(parse([gates, '--feature-gates=CoordinatedLeaderElection=true'])).toMatchObject({
      options: { featureGates: ['JobManagedBy=true, kube:ComponentFlagz=false', 'CoordinatedLeaderElection=true'] },
      notices: [
        '--feature-gates: JobManagedBy makes no difference: controllers use the defaults of v1.36',
        '--feature-gates: CoordinatedLeaderElection makes no difference: controllers use the defaults of v1.36',
      ],
    });
  });

  it('are rejected when they are unknown', () => {
    expect(() => parse(['--foo'])).toThrow(new FlagError('unknown flag: --foo', { unknown: 'foo' }));
    expect(() => parse(['foo'])).toThrow('"kube-controller-manager" does not take any arguments, got ["foo"]');
  });

  it('are all in the help', () => {
    const help = controllerManagerHelp('cox controller-manager');
    for (const name of upstreamFlags) expect(help).toMatch(new RegExp(`--${name}\\b`));
    expect(help).toMatch(
      /All controllers: bootstrap-signer-controller,\s+certificatesigningrequest-approving-controller,/,
    );
    expect(help).toContain('Disabled-by-default controllers: bootstrap-signer-controller, ');
  });
});

describe('--controllers', () => {
  const all = allControllers();
  const names = (...wanted: string[]): string[] => chosenControllers(all, wanted).map(({ name }) => name);

  it('selects controllers by name, by alias, and all except some', () => {
    expect(names('deployment')).toEqual(['deployment-controller']);
    expect(names('-deployment', 'job-controller')).toEqual(['job-controller']);
    expect(names('*')).not.toContain('token-cleaner-controller');
    expect(names('*', 'tokencleaner')).toContain('token-cleaner-controller');
    expect(names('*', '-garbagecollector')).not.toContain('garbage-collector-controller');
    expect(names('*', '-garbagecollector').length).toBe(names('*').length - 1);
  });

  it('has unique names', () => {
    const known = all.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(known).size).toBe(known.length);
  });
});
