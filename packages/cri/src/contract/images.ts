import assert from 'node:assert/strict';
import { type ContractCases, presentImage } from './runtime-under-test.ts';

export const imageCases: ContractCases = {
  'an image is known by its name and by its reference': async (test) => {
    const { images, image } = test;
    const imageRef = await presentImage(test);
    for (const name of [image, imageRef]) {
      const { image: found } = await images.imageStatus({ image: { image: name } });
      assert.ok(found, `${name} is not known`);
      assert.ok(found.size > 0, 'its size is 0');
      assert.ok(found.repoTags.includes(image), `${image} is not among ${found.repoTags.join()}`);
    }
    const { images: all } = await images.listImages({});
    assert.ok(
      all.some(({ repoTags }) => repoTags.includes(image)),
      'it is not listed',
    );
  },

  'an image that was not pulled has no status': async ({ images }) => {
    assert.deepEqual(await images.imageStatus({ image: { image: 'registry.example/nobody/none:1' } }), { info: {} });
  },

  'removing an image can be repeated': async ({ images }) => {
    const image = { image: 'registry.example/nobody/none:1' };
    for (const _ of [1, 2]) await images.removeImage({ image });
  },
};
