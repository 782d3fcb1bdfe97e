/** A program for the test of crashes: pulls, mounts and removes images until it is killed. */
import { openImages } from '../src/open-images.ts';

const [root = '', host = '', count = '0'] = process.argv.slice(2);
const images = await openImages({ root });
console.log('open');
for (let round = 0; ; round++) {
  const at = round % Number(count);
  const image = await images.store.pull(`${host}/web:${at}`);
  const id = `root-${round}`;
  await images.roots.make(id, image.id);
  if (round % 3 === 0) await images.roots.remove(id);
  if (round % 2 === 1) {
    for (const each of await images.roots.list()) await images.roots.remove(each);
    for (const { id: other } of images.store.list()) await images.store.remove(other);
  }
}
