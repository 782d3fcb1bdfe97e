import { describe, expect, it } from 'vitest';
import { readRecordedHashes } from '../../test/pod-template-hashes/recorded-hash.ts';
import { namedTemplates } from '../../test/pod-template-hashes/templates.ts';
import { TestCluster } from '../../test/test-cluster.ts';
import { daemonSetController } from '../daemonset/index.ts';
import { deploymentController } from './index.ts';

describe('ReplicaSets and revisions of a template', () => {
  it('have the same names as in upstream', async () => {
    const recorded = readRecordedHashes('templates');
    const cluster = await TestCluster.start({ controllers: [deploymentController, daemonSetController] });
    const { deployments, daemonSets, replicaSets, controllerRevisions } = cluster.clients.apps.v1;
    for (const { name, template } of namedTemplates()) {
      const selector = { matchLabels: { case: name } };
      await deployments('default').create({ metadata: { name }, spec: { replicas: 0, selector, template } });
      await daemonSets('default').create({ metadata: { name }, spec: { selector, template } });
    }
    await cluster.settle();
    const expected = namedTemplates().map(({ title, name }) => `${name}-${recorded[title]!.hash}`);
    for (const { items } of [await replicaSets('default').list(), await controllerRevisions('default').list()])
      expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(expected.sort());
    await cluster.stop();
  });
});
