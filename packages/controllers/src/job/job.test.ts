import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { jobController } from './index.ts';
import { conditionsOf, JobScenario } from './job-scenario.test-data.ts';

let cluster: TestCluster;
let scenario: JobScenario;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [jobController] });
  scenario = new JobScenario(cluster);
});
afterEach(() => cluster.stop());

describe('Job', () => {
  it('runs pods until enough have succeeded', async () => {
    await scenario.create({ completions: 3, parallelism: 2 });
    const [first, second] = await scenario.activePods();
    console.log(JSON.stringify(first, null, 1));
    await scenario.tick();
    console.log(JSON.stringify((await scenario.job()), null, 1));
    await scenario.start(first!, second!);
    console.log(JSON.stringify((await scenario.job()).status, null, 1));
    await scenario.succeed(first!);
    console.log(JSON.stringify((await scenario.job()).status, null, 1));
    await scenario.tick();
    const pods = await scenario.activePods();
    await scenario.succeed(...pods);
    await scenario.tick();
    console.log(JSON.stringify((await scenario.job()).status, null, 1));
    console.log(await cluster.events(), cluster.log, cluster.spy.writes);
    expect(conditionsOf(await scenario.job())).toEqual([]);
  });
});
