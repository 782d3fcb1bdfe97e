import { expect, it } from 'vitest';
import { loadDescriptions } from './descriptions.ts';

it('returns upstream’s descriptions of types and fields once the package is built', async () => {
  const descriptions = await loadDescriptions();
  expect(descriptions['core.v1.Pod']?.['']).toMatch(/^Pod is a collection of containers/);
  expect(descriptions['core.v1.PodSpec']?.nodeName).toMatch(/node/);
  expect(descriptions['meta.v1.ObjectMeta']?.name).toMatch(/unique/);
});
