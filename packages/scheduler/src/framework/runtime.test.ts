import { ClientSet, FakeClock, noMetrics, RESTClient, SharedInformerFactory, silentLogger } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { completeConfiguration } from '../config/complete-configuration.ts';
import type { GivenProfile } from '../config/configuration-shape.ts';
import { CycleState } from './cycle-state.ts';
import type { PluginDefinition } from './handle.ts';
import { NodeInfo } from './node-info.ts';
import type { Plugin } from './plugin.ts';
import { PodInfo } from './pod-info.ts';
import { PodsInPreBind } from './pods-in-pre-bind.ts';
import { RowVersions } from './row-versions.ts';
import { Framework } from './runtime.ts';
import { SharedParts } from './shared-parts.ts';
import { Status, skip } from './status.ts';
import { HeldPods } from './waiting-pod.ts';

const pod = (name: string, priority = 0): PodInfo =>
  new PodInfo({ metadata: { name, namespace: 'default', uid: `uid-${name}` }, spec: { containers: [], priority } });
const node = (name: string): NodeInfo => new NodeInfo({ metadata: { name } });

const essential: Plugin[] = [
  { name: 'Sort', less: () => false },
  { name: 'Bind', bind: async () => undefined },
];

/** A profile of only these plug-ins. The pods in `nominated` are nominated to every node. */
function frameworkOf(plugins: Plugin[], given: GivenProfile['plugins'] = {}, nominated: PodInfo[] = []): Framework {
  const all = [...essential, ...plugins];
  const definitions = all.map((plugin): PluginDefinition => ({ name: plugin.name, create: () => plugin }));
  const multiPoint = { disabled: [{ name: '*' }], enabled: all.map(({ name }) => ({ name })) };
  const [profile] = completeConfiguration({ profiles: [{ plugins: { multiPoint, ...given } }] }).profiles;
  const unreachable = (): never => {
    throw new Error('there is no server');
  };
  const clients = new ClientSet(new RESTClient({ send: unreachable, openWebSocket: unreachable, close: unreachable }));
  const nodes = [node('a'), node('b')];
  return new Framework(profile!, new Map(definitions.map((definition) => [definition.name, definition])), {
    clients,
    informers: new SharedInformerFactory(clients),
    recorder: { event() {} },
    clock: new FakeClock(),
    random: () => 0,
    logger: silentLogger,
    metrics: noMetrics,
    nominator: {
      nominatedPods: () => nominated,
      nominatedNode: () => undefined,
      addNominatedPod() {},
      deleteNominatedPod() {},
    },
    waitingPods: new HeldPods(),
    podsInPreBind: new PodsInPreBind(),
    shared: new SharedParts(),
    extenders: [],
    snapshot: () => ({
      nodes,
      versions: new RowVersions(),
      nodesWithAffinity: [],
      nodesWithRequiredAntiAffinity: [],
      get: (name) => nodes.find((each) => each.name === name),
      isClaimUsed: () => false,
    }),
    activate() {},
    write: (task) => task(),
  });
}

describe('the plug-ins of an extension point', () => {
  const scorer = (name: string): Plugin => ({ name, score: () => 0, filter: () => undefined });
  const names = (given: GivenProfile['plugins']): string[] =>
    frameworkOf([scorer('A'), scorer('B'), scorer('C')], given)
      .at('score')
      .map(({ name }) => name);

  it.each<[string, GivenProfile['plugins'], string[]]>([
    ['are all that implement it', {}, ['A', 'B', 'C']],
    ['are first those named at the point', { score: { enabled: [{ name: 'C', weight: 3 }] } }, ['C', 'A', 'B']],
    ['exclude those disabled there', { score: { disabled: [{ name: 'B' }] } }, ['A', 'C']],
    [
      'are only those named, when all are disabled',
      { score: { disabled: [{ name: '*' }], enabled: [{ name: 'B' }] } },
      ['B'],
    ],
  ])('%s', (_, given, expected) => {
    expect(names(given)).toEqual(expected);
  });

  it.each<[string, GivenProfile['plugins'], string]>([
    [
      'an unknown plug-in',
      { multiPoint: { disabled: [{ name: '*' }], enabled: [{ name: 'X' }] } },
      'PreFilterPlugin "X" does not exist',
    ],
    [
      'a plug-in that does not implement it',
      { permit: { enabled: [{ name: 'A' }] } },
      'plugin "A" does not extend PermitPlugin plugin',
    ],
    [
      'a plug-in twice',
      { score: { enabled: [{ name: 'A' }, { name: 'A' }] } },
      'plugin "A" already registered as "ScorePlugin"',
    ],
    [
      'no plug-in for Bind',
      { bind: { disabled: [{ name: '*' }] } },
      'at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
    ],
    [
      'no plug-in for QueueSort',
      { queueSort: { disabled: [{ name: '*' }] } },
      'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
    ],
  ])('must not be %s', (_, given, message) => {
    expect(() => names(given)).toThrow(new Error(message));
  });
});

describe('PreFilter', () => {
  const chooser = (name: string, ...nodeNames: string[]): Plugin => ({
    name,
    preFilter: () => ({ nodeNames: new Set(nodeNames) }),
  });
  const run = (...plugins: Plugin[]) => {
    const state = new CycleState();
    return { state, ...frameworkOf(plugins).runPreFilter(state, pod('web')) };
  };

  it('returns the nodes that all plug-ins allow', () => {
    const { nodeNames, plugins, status } = run(chooser('A', 'a', 'b'), chooser('B', 'b', 'c'));
    expect(nodeNames).toEqual(new Set(['b']));
    expect(plugins).toEqual(new Set(['A', 'B']));
    expect(status).toBeUndefined();
  });

  it.each<[Plugin[], string]>([
    [[chooser('B', 'a'), chooser('A', 'b')], "node(s) didn't satisfy plugin(s) [A B] simultaneously"],
    [[chooser('A')], "node(s) didn't satisfy plugin A"],
  ])('names the plug-ins that left no node', (plugins, message) => {
    expect(run(...plugins).status).toMatchObject({ code: 'UnschedulableAndUnresolvable', reasons: [message] });
  });

  it('skips the filters of plug-ins that return skip', () => {
    const filter = (): Status => Status.unschedulable('no');
    const { state } = run({ name: 'A', preFilter: () => skip, filter });
    expect(state.skipFilter).toEqual(new Set(['A']));
    const framework = frameworkOf([{ name: 'A', preFilter: () => skip, filter }]);
    expect(framework.runFilters(state, pod('web'), node('a'))).toBeUndefined();
  });

  it('continues after Unschedulable, since another plug-in may reject as unresolvable', () => {
    const no: Plugin = { name: 'A', preFilter: () => Status.unschedulable('not now') };
    const never: Plugin = { name: 'B', preFilter: () => Status.unresolvable('never') };
    expect(run(no, never).status).toMatchObject({ plugin: 'B', reasons: ['never'] });
    expect(run(no).status).toMatchObject({ plugin: 'A', code: 'Unschedulable' });
  });

  it('returns the error of a plug-in', () => {
    const broken: Plugin = { name: 'A', preFilter: () => Status.failed(new Error('broken')) };
    expect(run(broken).status).toMatchObject({ code: 'Error', reasons: ['running PreFilter plugin "A": broken'] });
  });
});

describe('Filter', () => {
  it('returns the first rejection with the name of its plug-in', () => {
    const framework = frameworkOf([
      { name: 'A', filter: () => undefined },
      { name: 'B', filter: () => Status.unschedulable('no') },
      { name: 'C', filter: () => Status.unschedulable('nor I') },
    ]);
    expect(framework.runFilters(new CycleState(), pod('web'), node('a'))).toMatchObject({
      plugin: 'B',
      reasons: ['no'],
    });
  });

  it('counts nominated pods of the same or higher priority, and must also pass without them', () => {
    const seen: string[][] = [];
    const added: string[] = [];
    const plugin: Plugin = {
      name: 'A',
      preFilter: () => undefined,
      addPod: (_state, _pod, other) => void added.push(other.key),
      filter: (_state, _pod, { pods }) => void seen.push(pods.map(({ key }) => key)),
    };
    const nominated = [pod('less', 1), pod('same', 5), pod('more', 9), pod('web', 5)];
    const framework = frameworkOf([plugin], {}, nominated);
    const a = node('a');
    expect(framework.filterWithNominatedPods(new CycleState(), pod('web', 5), a)).toBeUndefined();
    expect(seen).toEqual([['default/same', 'default/more'], []]);
    expect(added).toEqual(['default/same', 'default/more']);
    expect(a.pods).toEqual([]);
  });
});

describe('Score', () => {
  const run = (...plugins: Plugin[]) =>
    frameworkOf(plugins, { score: { enabled: [{ name: 'A', weight: 3 }] } }).runScore(new CycleState(), pod('web'), [
      node('a'),
      node('b'),
    ]);

  it('adds up weighted scores', () => {
    const a: Plugin = { name: 'A', score: (_state, _pod, { name }) => (name === 'a' ? 10 : 20) };
    const b: Plugin = {
      name: 'B',
      score: (_state, _pod, { name }) => (name === 'a' ? 7000 : 1000),
      normalizeScore: (_state, _pod, _nodes, scores) => {
        for (const [index, score] of scores.entries()) scores[index] = score / 100;
      },
    };
    expect(run(a, b)).toEqual([10 * 3 + 70, 20 * 3 + 10]);
  });

  it.each<[string, Plugin, string]>([
    [
      'out of bounds',
      { name: 'A', score: () => -1 },
      'applying score defaultWeights on Score plugins: plugin "A" returns an invalid score -1, it should in the range of [0, 100] after normalizing',
    ],
    [
      'of a plug-in that throws',
      {
        name: 'A',
        score: () => {
          throw new Error('broken');
        },
      },
      'running Score plugins: plugin "A" failed with: broken',
    ],
    [
      'that cannot be normalized',
      { name: 'A', score: () => 1, normalizeScore: () => Status.failed(new Error('broken')) },
      'running Normalize on Score plugins: plugin "A" failed with: broken',
    ],
  ])('%s is an error', (_, plugin, message) => {
    expect(run(plugin)).toMatchObject({ code: 'Error', reasons: [message] });
  });
});

describe('PostFilter', () => {
  const run = (...plugins: Plugin[]) =>
    frameworkOf(plugins).runPostFilter(
      new CycleState(),
      pod('web'),
      { get: () => Status.unschedulable(), nodesWith: () => [] },
      new AbortController().signal,
    );
  const no = (name: string): Plugin => ({ name, postFilter: async () => Status.unschedulable(`${name} cannot help`) });

  it('ends with the first plug-in that makes room', async () => {
    const yes: Plugin = { name: 'B', postFilter: async () => ({ nominatedNodeName: 'a' }) };
    expect(await run(no('A'), yes, no('C'))).toEqual({ result: { nominatedNodeName: 'a' } });
  });

  it('returns all reasons when no plug-in can, and removes the nomination', async () => {
    const nowhere: Plugin = {
      name: 'B',
      postFilter: async () => ({ nominatedNodeName: '', status: Status.unschedulable('B cannot help') }),
    };
    expect(await run(no('A'), nowhere)).toMatchObject({
      result: { nominatedNodeName: '' },
      status: { code: 'Unschedulable', message: 'A cannot help, B cannot help' },
    });
  });
});
