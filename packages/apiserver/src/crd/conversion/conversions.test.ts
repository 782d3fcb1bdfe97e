import type { KubernetesObject, Steps } from '@coxswain/apimachinery';
import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { expect, it } from 'vitest';
import { Turns } from '../../turns/turns.ts';
import { Conversions } from './conversions.ts';

const object = (name: string): KubernetesObject => ({ apiVersion: 'a/v1', kind: 'A', metadata: { name } });
const newConversions = (): Conversions =>
  new Conversions({
    convert: async (objects, apiVersion) => objects.map((one) => ({ ...one, apiVersion })),
  });

/** Converts an object in two steps. */
function* converted(conversions: Conversions, name: string): Steps<readonly string[]> {
  const first = conversions.convert(object(name), 'a/v2');
  yield;
  const second = conversions.convert(object(name), 'a/v3');
  yield;
  return [first, second, conversions.convert(object(name), 'a/v2')].map(
    ({ apiVersion, metadata }) => `${apiVersion} ${metadata?.name}`,
  );
}

const expected = (name: string): string[] => [`a/v2 ${name}`, `a/v3 ${name}`, `a/v2 ${name}`];

it('runs code again until all its conversions are done', async () => {
  const conversions = newConversions();
  expect(await conversions.run(() => converted(conversions, 'x'))).toEqual(expected('x'));
});

it('separates the conversions of interleaved runs', async () => {
  const conversions = newConversions();
  const loop = new CountingEventLoop({ msPerLook: 2, onNextTurn: (callback) => setImmediate(callback) });
  const run = (name: string): Promise<readonly string[]> =>
    conversions.run(() => converted(conversions, name), new Turns(loop));
  expect(await Promise.all([run('x'), run('y'), run('z')])).toEqual([expected('x'), expected('y'), expected('z')]);
});
