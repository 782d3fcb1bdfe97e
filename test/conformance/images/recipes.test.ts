import { describe, expect, it } from 'vitest';
import { debianHash, type ImageRecipe, imageRecipes, programsOf, type RecipeInputs, recipeHash } from './recipes.ts';

const recipe: ImageRecipe = {
  names: ['registry.example/a:1'],
  from: 'debian',
  files: [
    { path: 'agnhost', content: { program: 'agnhost' } },
    { path: 'page', content: { kubernetes: 'test/images/kitten/html/data.json' } },
    { path: 'bin/busybox', content: { debian: 'bin/busybox' } },
  ],
  config: { Cmd: ['/agnhost'] },
};
const inputs: RecipeInputs = {
  stampOf: (program) => `stamp of ${program}`,
  kubernetesVersion: 'v1.36.4',
  below: 'hash of the image below',
  debian: 'hash of the base',
};
const hash = recipeHash(recipe, inputs);

describe('the hash of a recipe', () => {
  it('is the same for the same recipe and inputs', () => {
    expect(recipeHash(structuredClone(recipe), { ...inputs })).toBe(hash);
  });

  it('does not depend on names', () => {
    expect(recipeHash({ ...recipe, names: ['registry.example/b:2'] }, inputs)).toBe(hash);
  });

  const otherInputs: Record<string, Partial<RecipeInputs>> = {
    'a program was built anew': { stampOf: () => 'another stamp' },
    'another release of Kubernetes has the files': { kubernetesVersion: 'v1.37.0' },
    'the image below was made anew': { below: 'another hash' },
    'the Debian base was made anew': { debian: 'another hash' },
  };
  it.each(Object.entries(otherInputs))('changes when %s', (_, change) => {
    expect(recipeHash(recipe, { ...inputs, ...change })).not.toBe(hash);
  });

  const otherRecipes: Record<string, Partial<ImageRecipe>> = {
    'a file has another mode': { files: recipe.files.map((file) => ({ ...file, mode: 0o600 })) },
    'a file is missing': { files: recipe.files.slice(1) },
    'the configuration differs': { config: { Cmd: ['/agnhost'], User: '1' } },
  };
  it.each(Object.entries(otherRecipes))('changes when %s', (_, change) => {
    expect(recipeHash({ ...recipe, ...change }, inputs)).not.toBe(hash);
  });

  it('does not change with inputs that the image does not have', () => {
    const plain: ImageRecipe = { ...recipe, files: [{ path: 'a', content: { text: 'a' } }] };
    const other = { ...inputs, stampOf: () => 'another stamp', kubernetesVersion: 'v1.37.0', debian: 'another hash' };
    expect(recipeHash(plain, other)).toBe(recipeHash(plain, inputs));
  });
});

it('the base depends on where its packages come from', () => {
  expect(debianHash('http://a.example')).not.toBe(debianHash('http://b.example'));
});

it('no two images have the same name, and each is made after the one below it', () => {
  const made = new Set(['debian']);
  for (const { names, from } of imageRecipes) {
    if (from !== undefined) expect(made).toContain(from);
    for (const name of names) {
      expect(name).toMatch(/^registry\.k8s\.io\/[a-z0-9/-]+:[\w.-]+$/);
      expect(made).not.toContain(name);
      made.add(name);
    }
  }
});

it('the programs of all images are known, each once', () => {
  const programs = programsOf(imageRecipes);
  expect(programs).toEqual(expect.arrayContaining(['pause', 'agnhost', 'etcd']));
  expect(new Set(programs).size).toBe(programs.length);
});

it('the shell of the busybox image is one that keeps all environment variables', () => {
  const files = imageRecipes.find(({ names }) => names[0].includes('/busybox:'))?.files ?? [];
  expect(files).toContainEqual({ path: 'bin/sh', content: { program: 'busybox-sh' } });
  expect(files.map(({ path }) => path)).toContain('bin/bash');
});
